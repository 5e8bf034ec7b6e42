import { describe, expect, it } from 'vitest';
import { encodeFunctionData, hashTypedData, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { encodeBurn } from '../../src/orders/burn/burn-call.ts';
import { encodeTransfer } from '../../src/orders/transfer/transfer-call.ts';
import { withDeadline } from '../../src/relay/deadline.ts';
import { recoverSigner } from '../../src/relay/forward-request.ts';
import { requestReply } from '../../src/relay/request-reply.ts';
import {
  burnTypedData,
  jsonOfTypedData,
  mintTypedData,
  signedFields,
  transferTypedData,
} from '../../clients/typescript/src/index.ts';

const holder = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const forwarder = { chainId: '43114', address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' } as const;
const contractAddress = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
const friend = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const deadline = '2027-01-31T12:00:00.000Z';

/** What the service prepares for a call, by its own code. */
function prepared(call: `0x${string}`, until: string | null = null, to: `0x${string}` = contractAddress) {
  const data = withDeadline(call, until === null ? null : new Date(until));
  const request = { from: holder.address, to, value: 0n, gas: 120_000n, nonce: 4n, data };
  return {
    request,
    reply: { ...requestReply(forwarder, request), primaryType: 'ForwardRequest', deadline: until } as const,
  };
}

const token = { chainId: '43114', contractAddress, tokenId: '5', from: holder.address } as const;
const units = { contractAddress, from: holder.address, to: friend, tokenId: '5' } as const;
const transfer = { ...token, to: friend };
const transfers = {
  721: prepared(encodeTransfer({ ...units, ercStandard: '721', amount: 1 })),
  1155: prepared(encodeTransfer({ ...units, ercStandard: '1155', amount: 3 })),
  'one of 1155': prepared(encodeTransfer({ ...units, ercStandard: '1155', amount: 1 })),
  'with a deadline': prepared(encodeTransfer({ ...units, ercStandard: '721', amount: 1 }), deadline),
  cancel: prepared(
    encodeFunctionData({ abi: parseAbi(['function cancel(uint256)']), args: [4n] }),
    null,
    forwarder.address,
  ),
};
const burns = {
  721: prepared(encodeBurn({ ...units, ercStandard: '721', amount: 1 })),
  1155: prepared(encodeBurn({ ...units, ercStandard: '1155', amount: 3 })),
};

describe('what a holder signs', () => {
  it.each([
    ['a transfer', transfers[721], transfer],
    ['a transfer of one, named', transfers[721], { ...transfer, amount: 1 }],
    ['a transfer of ERC-1155', transfers[1155], { ...transfer, amount: 3 }],
    ['a transfer of one of ERC-1155', transfers['one of 1155'], { ...transfer, amount: 1 }],
    ['a transfer with a deadline', transfers['with a deadline'], { ...transfer, deadline: '2027-01-31T12:00:00.999Z' }],
    ['the use of a nonce', transfers.cancel, { purpose: 'cancel', ...token, forwarderNonce: '4' }],
    ['the use of the next nonce', transfers.cancel, { purpose: 'cancel', ...token }],
  ] as const)('for %s is what the service recovers the signer from', async (_, { request, reply }, asked) => {
    const typedData = transferTypedData(reply, asked);
    const signature = await holder.signTypedData(typedData);
    expect(await recoverSigner(forwarder, request, signature)).toBe(holder.address);
    expect(hashTypedData(JSON.parse(jsonOfTypedData(typedData)))).toBe(hashTypedData(typedData));
    expect(signedFields(reply, signature)).toEqual({
      signature,
      gasLimit: '120000',
      forwarderNonce: '4',
      forwarderAddress: forwarder.address,
      ...(reply.deadline === null ? {} : { deadline }),
    });
  });

  it.each([
    ['a burn', burns[721], token],
    ['a burn of ERC-1155', burns[1155], { ...token, amount: 3 }],
  ])('for %s is what the service recovers the signer from', async (_, { request, reply }, asked) => {
    const signature = await holder.signTypedData(burnTypedData(reply, asked));
    expect(await recoverSigner(forwarder, request, signature)).toBe(holder.address);
  });

  it('has the domain for wallets that want it', () => {
    expect(JSON.parse(jsonOfTypedData(mintTypedData(transfers[721].reply)))).toMatchObject({
      primaryType: 'ForwardRequest',
      types: {
        EIP712Domain: [{ name: 'name' }, { name: 'version' }, { name: 'chainId' }, { name: 'verifyingContract' }],
      },
    });
  });

  const { reply } = transfers[721];
  it.each([
    ['data', 'the token', reply, { ...transfer, tokenId: '6' }],
    ['data', 'the receiver', reply, { ...transfer, to: holder.address }],
    ['data', 'the amount', transfers[1155].reply, { ...transfer, amount: 2 }],
    ['data', 'the amount that is not named', transfers[1155].reply, transfer],
    ['data', 'the call', burns[721].reply, transfer],
    ['from', 'the holder', { ...reply, request: { ...reply.request, from: friend } }, transfer],
    ['to', 'the contract', { ...reply, request: { ...reply.request, to: friend } }, transfer],
    ['value', 'the coins', { ...reply, request: { ...reply.request, value: '1' } }, transfer],
    ['chainId', 'the chain', { ...reply, domain: { ...reply.domain, chainId: 1 } }, transfer],
    ['nonce', 'the nonce', reply, { ...transfer, forwarderNonce: '5' }],
    ['forwarderAddress', 'the forwarder', reply, { ...transfer, forwarderAddress: friend }],
    ['deadline', 'a deadline that is missing', reply, { ...transfer, deadline }],
    ['deadline', 'a deadline that is added', transfers['with a deadline'].reply, transfer],
  ])('is refused if the service has prepared another request, by its %s: %s', (field, _, other, asked) => {
    expect(() => transferTypedData(other, asked)).toThrow(
      expect.objectContaining({ name: 'PreparedRequestError', message: expect.stringContaining(field) }),
    );
  });

  it.each([
    [{ ...token, tokenId: '6' }, burns[721].reply],
    [{ ...token, amount: 2 }, burns[1155].reply],
    [token, transfers[721].reply],
  ])('for a burn is refused in the same way', (asked, other) => {
    expect(() => burnTypedData(other, asked)).toThrow('data');
  });

  it('uses the types of the forwarder, whatever types the service names', () => {
    const types = { ForwardRequest: [{ name: 'to', type: 'address' }] };
    expect(transferTypedData({ ...reply, types }, transfer).types.ForwardRequest).toHaveLength(6);
    const hostile = { ...reply, domain: { ...reply.domain, verifyingContract: 'no address' } };
    expect(() => mintTypedData(hostile)).toThrow('not hex');
  });
});
