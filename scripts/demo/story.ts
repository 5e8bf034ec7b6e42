import { createHash } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { DEFAULT_CHAIN } from '../../src/chains/list.ts';
import type { Stack } from '../../stack/stack.ts';
import { connectApi } from './api.ts';
import type { Resource } from './api.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const chainId = DEFAULT_CHAIN.id;

/** The facts of a mined transaction in words. */
function cost(resource: Resource, txHash: unknown, gasUsed: unknown): string {
  const dollars = Number(resource['totalFeeUsd']).toFixed(4);
  return `transaction ${String(txHash)}, ${String(gasUsed)} gas, fee ${String(resource['totalFeeNative'])} coins ($${dollars})`;
}

/**
 * From nothing to a token that is minted, announced by webhook, served and transferred without gas, and to a certificate that is
 * checked. Prints each step and its result.
 * @throws with a reason at the first step that does not do what it should.
 */
export async function tellTheStory(
  stack: Stack,
  receiver: WebhookReceiver,
  say: (line: string) => void,
): Promise<void> {
  const api = connectApi(stack.info);
  const { webhookSecret, walletAddress } = await stack.createAccount({ corporateId: 'demo', webhookUrl: receiver.url });
  receiver.trust(webhookSecret);
  say(`The corporate account "demo" signs with its wallet ${walletAddress}.`);

  const holderKey = generatePrivateKey();
  const holder = privateKeyToAddress(holderKey);
  const friend = privateKeyToAddress(generatePrivateKey());

  say('\n1. A forwarder, so that holders can transfer without paying gas');
  const forwarder = await api.post('/contracts/forwarder', { chainId, alias: 'demo forwarder' });
  const deployedForwarder = await api.result(`/contracts/${String(forwarder['_id'])}`);
  say(`   deployed at ${String(deployedForwarder['contractAddress'])}`);
  say(`   ${cost(deployedForwarder, deployedForwarder['deployTxHash'], deployedForwarder['deployGasUsed'])}`);

  say('\n2. An ERC-721 contract');
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Demo Tickets',
    symbol: 'TIX',
    ercStandard: '721',
    contractType: 'standard',
  });
  say(`   accepted: id ${String(accepted['_id'])}, status ${String(accepted['status'])}`);
  const contract = await api.result(`/contracts/${String(accepted['_id'])}`);
  const { contractAddress } = contract;
  say(`   ${String(contract['status'])} at ${String(contractAddress)}`);
  say(`   ${cost(contract, contract['deployTxHash'], contract['deployGasUsed'])}`);
  await receiver.event('contract.deployed', accepted['_id']);
  say('   webhook contract.deployed received, signature valid');

  say('\n3. Metadata, not yet bound to a token');
  const metadata = await api.post('/metadata', {
    chainId,
    name: 'Opening night',
    description: 'One seat, one evening.',
    imageUrl: 'https://example.com/opening-night.png',
    attributes: [{ traitType: 'Row', value: 'A' }],
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  say(`   stored: id ${String(metadata['_id'])}, status trait "${String(metadata['currentStatus'])}"`);

  say('\n4. A mint');
  const order = await api.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder,
    tokenId: '1',
    metadataId: metadata['_id'],
  });
  say(`   accepted: order ${String(order['id'])}, status ${String(order['status'])}`);
  const minted = await api.result(`/minting/${String(order['id'])}`);
  say(`   ${String(minted['status'])}: token 1 belongs to ${holder}`);
  say(`   ${cost(minted, minted['txHash'], minted['mintingGasUsed'])}`);
  const event = await receiver.event('mint.confirmed', order['id']);
  say(
    `   webhook mint.confirmed received, signature valid: it says ${String(event.data['status'])} and the same transaction`,
  );
  if (event.data['txHash'] !== minted['txHash']) throw new Error('The webhook names another transaction');

  say('\n5. What a marketplace reads');
  const tokenUri = String(await api.read({ chainId, contractAddress, method: 'tokenURI', args: ['1'] }));
  say(`   GET ${tokenUri}`);
  say(`   ${await api.publicText(tokenUri)}`);

  say('\n6. The holder, who has no coins, gives the token to a friend');
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
  say(`   ${String(moved['status'])}: token 1 belongs to ${friend} now; the service paid`);
  say(`   ${cost(moved, moved['txHash'], moved['transferGasUsed'])}`);

  say('\n7. A certificate that cannot be moved, and its check');
  await tellOfCertificate(stack, holder, say);
}

async function tellOfCertificate(stack: Stack, holder: string, say: (line: string) => void): Promise<void> {
  const api = connectApi(stack.info);
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Demo Certificates',
    symbol: 'CERT',
    ercStandard: '721',
    contractType: 'certificate',
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
  say(`   minted at ${String(contractAddress)} to ${holder}`);
  say(`   hash on chain             ${onChain}`);
  say(`   SHA-256 of what is served ${computed}`);
  if (computed !== onChain) throw new Error('The certificate does not match its hash');
  say('   They are equal: the certificate is genuine.');
}
