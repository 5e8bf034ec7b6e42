import { createHash } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { DEFAULT_CHAIN } from '../../src/chains/list.ts';
import type { Stack } from '../../stack/stack.ts';
import { connectApi, type Resource } from './api.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const chainId = DEFAULT_CHAIN.id;

/** What it needs of a stack, with the account `demo`. */
type DemoStack = Pick<Stack, 'info' | 'createAccount'>;

/** One line about a mined transaction. */
function cost(resource: Resource, txHash: unknown, gasUsed: unknown): string {
  const dollars = Number(resource['totalFeeUsd']).toFixed(4);
  return `transaction ${String(txHash)}, ${String(gasUsed)} gas, fee ${String(resource['totalFeeNative'])} coins ($${dollars})`;
}

/**
 * Deploys contracts, mints a token, receives the webhook, reads the public metadata, transfers the token without gas,
 * and verifies a certificate. Prints each step and its result.
 * @returns the path of the page that checks the certificate.
 * @throws at the first step that fails, with the reason.
 */
export async function runDemo(
  stack: DemoStack,
  receiver: WebhookReceiver,
  print: (line: string) => void,
): Promise<string> {
  const api = connectApi(stack.info);
  const { webhookSecret, walletAddress } = await stack.createAccount({ corporateId: 'demo', webhookUrl: receiver.url });
  receiver.trust(webhookSecret);
  print(`The corporate account "demo" signs with its wallet ${walletAddress}.`);

  const holderKey = generatePrivateKey();
  const holder = privateKeyToAddress(holderKey);
  const friend = privateKeyToAddress(generatePrivateKey());

  print('\n1. A forwarder, so that holders can transfer without paying gas');
  const forwarder = await api.post('/contracts/forwarder', { chainId, alias: 'demo forwarder' });
  const deployedForwarder = await api.result(`/contracts/${String(forwarder['_id'])}`);
  print(`   deployed at ${String(deployedForwarder['contractAddress'])}`);
  print(`   ${cost(deployedForwarder, deployedForwarder['deployTxHash'], deployedForwarder['deployGasUsed'])}`);

  print('\n2. An ERC-721 contract');
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Demo Tickets',
    symbol: 'TIX',
    ercStandard: '721',
    contractType: 'standard',
  });
  print(`   accepted: id ${String(accepted['_id'])}, status ${String(accepted['status'])}`);
  const contract = await api.result(`/contracts/${String(accepted['_id'])}`);
  const { contractAddress } = contract;
  print(`   ${String(contract['status'])} at ${String(contractAddress)}`);
  print(`   ${cost(contract, contract['deployTxHash'], contract['deployGasUsed'])}`);
  await receiver.event('contract.deployed', accepted['_id']);
  print('   webhook contract.deployed received, signature valid');

  print('\n3. Metadata that is not linked to a token yet');
  const metadata = await api.post('/metadata', {
    chainId,
    name: 'Opening night',
    description: 'One seat, one evening.',
    imageUrl: 'https://example.com/opening-night.png',
    attributes: [{ traitType: 'Row', value: 'A' }],
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  print(`   stored: id ${String(metadata['_id'])}, status trait "${String(metadata['currentStatus'])}"`);

  print('\n4. A mint');
  const order = await api.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder,
    tokenId: '1',
    metadataId: metadata['_id'],
  });
  print(`   accepted: order ${String(order['id'])}, status ${String(order['status'])}`);
  const minted = await api.result(`/minting/${String(order['id'])}`);
  print(`   ${String(minted['status'])}: token 1 belongs to ${holder}`);
  print(`   ${cost(minted, minted['txHash'], minted['mintingGasUsed'])}`);
  const event = await receiver.event('mint.confirmed', order['id']);
  print(`   webhook mint.confirmed received, signature valid: ${String(event.data['status'])}, the same transaction`);
  if (event.data['txHash'] !== minted['txHash']) throw new Error('The webhook has a different transaction');

  print('\n5. What a marketplace reads');
  const tokenUri = String(await api.read({ chainId, contractAddress, method: 'tokenURI', args: ['1'] }));
  print(`   GET ${tokenUri}`);
  print(`   ${await api.publicText(tokenUri)}`);

  print('\n6. The holder, who has no coins, transfers the token to a friend');
  const signed = await api.post('/transfer/signature', {
    chainId,
    contractAddress,
    tokenId: '1',
    from: holder,
    to: friend,
    privateKey: holderKey,
  });
  const transfer = await api.post('/transfer/execute', {
    chainId,
    contractAddress,
    tokenId: '1',
    from: holder,
    to: friend,
    signature: signed['signature'],
  });
  const moved = await api.result(`/transfer/${String(transfer['id'])}`);
  const owner = await api.read({ chainId, contractAddress, method: 'ownerOf', args: ['1'] });
  if (owner !== friend) throw new Error(`Token 1 belongs to ${String(owner)}, not to the friend`);
  print(`   ${String(moved['status'])}: token 1 now belongs to ${friend}; the service paid the gas`);
  print(`   ${cost(moved, moved['txHash'], moved['transferGasUsed'])}`);

  print('\n7. A non-transferable certificate, and its verification');
  return await mintCertificate(stack, holder, print);
}

async function mintCertificate(
  stack: Pick<DemoStack, 'info'>,
  holder: string,
  print: (line: string) => void,
): Promise<string> {
  const api = connectApi(stack.info);
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Demo Certificates',
    symbol: 'CERT',
    ercStandard: '721',
    contractType: 'certificate',
    burnAuth: 'both',
  });
  const { contractAddress } = await api.result(`/contracts/${String(accepted['_id'])}`);
  const traits: readonly [string, string | number][] = [
    ['Type', 'Watch'],
    ['Serial Number', 'A-0001'],
    ['Style Name', 'Classic'],
    ['Issuer (Mint by)', 'Demo Maker'],
    ['Creator', 'Demo Maker'],
    ['Issue Date', 1_767_225_600],
    ['Transferability', 'Non-Transferable (SBT)'],
  ];
  const metadata = await api.post('/metadata', {
    chainId,
    name: 'Certificate of authenticity A-0001',
    imageUrl: 'https://example.com/a-0001.png',
    attributes: traits.map(([traitType, value]) => ({ traitType, value })),
    utility: { type: 'Certificate', data: { valid_until: '2036-01-01' } },
  });
  const tokenUri = `${stack.info.baseUrl}/metadata/${String(contractAddress)}/1`;
  const order = await api.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder,
    tokenId: '1',
    metadataId: metadata['_id'],
    metadataHash: metadata['metadataHash'],
    tokenUri,
  });
  await api.result(`/minting/${String(order['id'])}`);
  const onChain = String(await api.read({ chainId, contractAddress, method: 'getMetadataHash', args: ['1'] }));
  const served = await api.publicText(
    String(await api.read({ chainId, contractAddress, method: 'tokenURI', args: ['1'] })),
  );
  const computed = `0x${createHash('sha256').update(served).digest('hex')}`;
  print(`   minted at ${String(contractAddress)} to ${holder}`);
  print(`   hash on chain             ${onChain}`);
  print(`   SHA-256 of the document   ${computed}`);
  if (computed !== onChain) throw new Error('The document does not match the hash on chain');
  print('   They are equal: the certificate is unaltered.');
  return `/verify/${String(contractAddress)}/1?chainId=${chainId}`;
}
