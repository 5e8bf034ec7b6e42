import { type Address, maxUint256, zeroAddress } from 'viem';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { type Contract, callData, eventsOf, mustWrite, revertOf } from './support/contract-calls.ts';
import { signedRequest } from './support/forward-request.ts';
import { startTokenHolders } from './support/token-holders.ts';

const { chain, fixture, forwarder, issuer, alice, bob, outsider } = await startTokenHolders();
afterAll(() => chain.stop());

const constructorArgs = () =>
  ['Collection', 'COLL', issuer.address, forwarder.address, '', issuer.address, 0n] as const;

describe('Standard721', () => {
  let token: Contract<typeof standard721.abi>;

  beforeEach(async () => {
    token = await chain.deploy(standard721, constructorArgs());
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n]);
  });

  const ownerOf = (id: bigint): Promise<Address> =>
    chain.client.readContract({ ...token, functionName: 'ownerOf', args: [id] });

  it('refuses to mint an id that exists', async () => {
    expect(await revertOf(chain, issuer.address, token, 'mint', [bob.address, 7n])).toBe(
      `ERC721InvalidSender(${zeroAddress})`,
    );
    expect(await ownerOf(7n)).toBe(alice.address);
  });

  it('lets only the holder, an approved account or an operator transfer a token', async () => {
    const move = [alice.address, bob.address, 7n] as const;
    const refusal = `ERC721InsufficientApproval(${outsider.address},7)`;
    expect(await revertOf(chain, alice.address, token, 'safeTransferFrom', move)).toBe('none');
    expect(await revertOf(chain, outsider.address, token, 'safeTransferFrom', move)).toBe(refusal);
    expect(await revertOf(chain, outsider.address, token, 'transferFrom', move)).toBe(refusal);
    expect(await revertOf(chain, issuer.address, token, 'transferFrom', move)).toBe(
      `ERC721InsufficientApproval(${issuer.address},7)`,
    );

    await mustWrite(chain, alice.address, token, 'approve', [outsider.address, 7n]);
    expect(await revertOf(chain, outsider.address, token, 'transferFrom', move)).toBe('none');
    await mustWrite(chain, alice.address, token, 'approve', [zeroAddress, 7n]);
    expect(await revertOf(chain, outsider.address, token, 'transferFrom', move)).toBe(refusal);

    await mustWrite(chain, alice.address, token, 'setApprovalForAll', [outsider.address, true]);
    expect(await revertOf(chain, outsider.address, token, 'transferFrom', move)).toBe('none');
  });

  it('neither mints nor moves a token in a transfer simulated from the zero address', async () => {
    for (const [from, id] of [
      [zeroAddress, 8n],
      [alice.address, 7n],
    ] as const) {
      for (const method of ['transferFrom', 'safeTransferFrom'] as const) {
        expect(await revertOf(chain, zeroAddress, token, method, [from, bob.address, id])).toBe(
          `ERC721InvalidSender(${zeroAddress})`,
        );
      }
    }
  });

  it('clears the approval of a token when it is transferred', async () => {
    await mustWrite(chain, alice.address, token, 'approve', [outsider.address, 7n]);
    await mustWrite(chain, alice.address, token, 'transferFrom', [alice.address, bob.address, 7n]);
    expect(await revertOf(chain, outsider.address, token, 'transferFrom', [bob.address, outsider.address, 7n])).toBe(
      `ERC721InsufficientApproval(${outsider.address},7)`,
    );
  });

  it('lets an approved account burn for the holder', async () => {
    await mustWrite(chain, alice.address, token, 'approve', [bob.address, 7n]);
    await mustWrite(chain, bob.address, token, 'burn', [7n]);
    expect(await revertOf(chain, bob.address, token, 'ownerOf', [7n])).toBe('ERC721NonexistentToken(7)');
  });

  it('leaves a token with its holder when the receiving contract rejects it', async () => {
    const receiver = await chain.deploy(fixture('NoReceiver'), []);
    expect(await revertOf(chain, alice.address, token, 'safeTransferFrom', [alice.address, receiver.address, 7n])).toBe(
      `ERC721InvalidReceiver(${receiver.address})`,
    );
  });

  it('transfers a token when its holder signs and someone else pays', async () => {
    const before = await chain.client.getBalance({ address: alice.address });
    const data = callData(token, 'safeTransferFrom', [alice.address, bob.address, 7n]);
    const request = await signedRequest(chain, forwarder, alice, { to: token.address, data });
    const receipt = await mustWrite(chain, outsider.address, forwarder, 'execute', request);
    expect(eventsOf(token, receipt)).toEqual([`Transfer(${alice.address},${bob.address},7)`]);
    expect(await ownerOf(7n)).toBe(bob.address);
    expect(await chain.client.getBalance({ address: alice.address })).toBe(before);
  });
});

describe('Standard1155', () => {
  let token: Contract<typeof standard1155.abi>;

  beforeEach(async () => {
    token = await chain.deploy(standard1155, constructorArgs());
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, 10n]);
  });

  const balanceOf = (holder: Address, id = 7n): Promise<bigint> =>
    chain.client.readContract({ ...token, functionName: 'balanceOf', args: [holder, id] });

  it('adds units when an id is minted again', async () => {
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 7n, 5n]);
    expect(await balanceOf(alice.address)).toBe(15n);
  });

  it('refuses to mint zero units', async () => {
    expect(await revertOf(chain, issuer.address, token, 'mint', [alice.address, 7n, 0n])).toBe('IssuanceZeroAmount(7)');
  });

  it('refuses a balance above the maximum', async () => {
    expect(await revertOf(chain, issuer.address, token, 'mint', [alice.address, 7n, maxUint256])).toBe('Panic(17)');
  });

  it('lets only the holder or an operator transfer units', async () => {
    const move = [alice.address, bob.address, 7n, 4n, '0x'] as const;
    const refusal = (caller: Address) => `ERC1155MissingApprovalForAll(${caller},${alice.address})`;
    for (const caller of [outsider.address, issuer.address]) {
      expect(await revertOf(chain, caller, token, 'safeTransferFrom', move)).toBe(refusal(caller));
      const batch = [alice.address, bob.address, [7n], [4n], '0x'] as const;
      expect(await revertOf(chain, caller, token, 'safeBatchTransferFrom', batch)).toBe(refusal(caller));
    }
    await mustWrite(chain, alice.address, token, 'safeTransferFrom', move);
    await mustWrite(chain, alice.address, token, 'setApprovalForAll', [outsider.address, true]);
    await mustWrite(chain, outsider.address, token, 'safeTransferFrom', move);
    expect([await balanceOf(alice.address), await balanceOf(bob.address)]).toEqual([2n, 8n]);
  });

  it('refuses to transfer more units than the holder has', async () => {
    expect(
      await revertOf(chain, alice.address, token, 'safeTransferFrom', [alice.address, bob.address, 7n, 11n, '0x']),
    ).toBe(`ERC1155InsufficientBalance(${alice.address},10,11,7)`);
  });

  it('transfers and burns several ids at once', async () => {
    await mustWrite(chain, issuer.address, token, 'mint', [alice.address, 8n, 3n]);
    await mustWrite(chain, alice.address, token, 'safeBatchTransferFrom', [
      alice.address,
      bob.address,
      [7n, 8n],
      [6n, 3n],
      '0x',
    ]);
    await mustWrite(chain, bob.address, token, 'burnBatch', [bob.address, [7n, 8n], [1n, 2n]]);
    expect(
      await Promise.all([
        balanceOf(alice.address),
        balanceOf(alice.address, 8n),
        balanceOf(bob.address),
        balanceOf(bob.address, 8n),
      ]),
    ).toEqual([4n, 0n, 5n, 1n]);
  });

  it('lets an operator burn for the holder', async () => {
    await mustWrite(chain, alice.address, token, 'setApprovalForAll', [bob.address, true]);
    await mustWrite(chain, bob.address, token, 'burn', [alice.address, 7n, 10n]);
    expect(await balanceOf(alice.address)).toBe(0n);
  });

  it('leaves units with their holder when the receiving contract rejects them', async () => {
    const receiver = await chain.deploy(fixture('NoReceiver'), []);
    expect(
      await revertOf(chain, alice.address, token, 'safeTransferFrom', [alice.address, receiver.address, 7n, 1n, '0x']),
    ).toBe(`ERC1155InvalidReceiver(${receiver.address})`);
  });

  it('transfers units when their holder signs and someone else pays', async () => {
    const data = callData(token, 'safeTransferFrom', [alice.address, bob.address, 7n, 4n, '0x']);
    const request = await signedRequest(chain, forwarder, alice, { to: token.address, data });
    const receipt = await mustWrite(chain, outsider.address, forwarder, 'execute', request);
    expect(eventsOf(token, receipt)).toEqual([`TransferSingle(${alice.address},${alice.address},${bob.address},7,4)`]);
    expect(await balanceOf(bob.address)).toBe(4n);
  });
});
