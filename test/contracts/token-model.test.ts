import * as fc from 'fast-check';
import { type Address, encodeFunctionData, parseEventLogs, zeroAddress, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { type EphemeralChain, startEphemeralChain } from '../../scripts/contracts/ephemeral-chain.ts';
import { type Contract, callData } from './support/contract-calls.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { type Forwarder, signedRequest } from './support/forward-request.ts';
import { type TokenKind, certificateHash, certificateUri, tokenKinds } from './support/token-kinds.ts';

/** The number of sequences per kind of contract, and of calls per sequence. */
const sequences = 8;
const callsPerSequence = 30;

const ids = [0n, 1n, 2n];
const documents = [
  { uri: certificateUri, hash: certificateHash },
  { uri: certificateUri, hash: `${zeroHash.slice(0, -1)}1` },
  { uri: `${certificateUri}?`, hash: certificateHash },
] as const;

/** A call that any of the four accounts may make. Accounts are numbers; account 0 is the contract's owner. */
type Call = { by: number; relayed: boolean; id: bigint } & (
  | { kind: 'mint'; to: number; amount: bigint; document: number }
  | { kind: 'transfer'; from: number; to: number; amount: bigint }
  | { kind: 'burn'; from: number; amount: bigint }
  | { kind: 'approve'; to: number }
  | { kind: 'operator'; to: number; on: boolean }
);

const account = fc.nat({ max: 3 });
const common = { by: account, relayed: fc.boolean(), id: fc.constantFrom(...ids) };
const amount = fc.bigInt({ min: 0n, max: 3n });
// The owner mints far more often than at random; otherwise there would be little to transfer.
const anyCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    ...common,
    by: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: account }),
    kind: fc.constant('mint'),
    to: account,
    amount,
    document: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) }),
  }),
  fc.record({ ...common, kind: fc.constant('transfer'), from: account, to: account, amount }),
  fc.record({ ...common, kind: fc.constant('burn'), from: account, amount }),
  fc.record({ ...common, kind: fc.constant('approve'), to: account }),
  fc.record({ ...common, kind: fc.constant('operator'), to: account, on: fc.boolean() }),
);

/** The expected state of the contract, modelled as simply as possible. */
class Model {
  readonly units = new Map<string, bigint>();
  readonly approved = new Map<bigint, number>();
  readonly operators = new Set<string>();
  readonly recorded = new Map<bigint, number>();
  readonly kind: TokenKind;

  constructor(kind: TokenKind) {
    this.kind = kind;
  }

  held(holder: number, id: bigint): bigint {
    return this.units.get(`${holder}:${id}`) ?? 0n;
  }

  supply(id: bigint): bigint {
    return [0, 1, 2, 3].reduce((sum, holder) => sum + this.held(holder, id), 0n);
  }

  holder(id: bigint): number | undefined {
    return [0, 1, 2, 3].find((holder) => this.held(holder, id) > 0n);
  }

  private add(holder: number, id: bigint, change: bigint): void {
    this.units.set(`${holder}:${id}`, this.held(holder, id) + change);
  }

  private mayMove(by: number, holder: number, id: bigint): boolean {
    return (
      by === holder || this.operators.has(`${holder}:${by}`) || (this.kind.isErc721 && this.approved.get(id) === by)
    );
  }

  /** Executes a call if the rules allow it. @returns whether they do. */
  apply(call: Call): boolean {
    if (call.kind === 'mint') return this.mint(call);
    if (call.kind === 'transfer') return this.transfer(call);
    if (call.kind === 'burn') return this.burn(call);
    if (this.kind.isCertificate) return false;
    if (call.kind === 'approve') return this.approve(call);
    if (call.on) this.operators.add(`${call.by}:${call.to}`);
    else this.operators.delete(`${call.by}:${call.to}`);
    return true;
  }

  private mint({ by, to, id, amount: asked, document }: Call & { kind: 'mint' }): boolean {
    const { isErc721, isCertificate } = this.kind;
    if (by !== 0 || (isErc721 ? this.holder(id) !== undefined : asked === 0n)) return false;
    if (isCertificate) {
      if ((this.recorded.get(id) ?? document) !== document) return false;
      this.recorded.set(id, document);
    }
    this.add(to, id, isErc721 ? 1n : asked);
    return true;
  }

  private transfer({ by, from, to, id, amount: asked }: Call & { kind: 'transfer' }): boolean {
    const moved = this.kind.isErc721 ? 1n : asked;
    if (this.kind.isCertificate || this.held(from, id) < moved || !this.mayMove(by, from, id)) return false;
    this.add(from, id, -moved);
    this.add(to, id, moved);
    this.approved.delete(id);
    return true;
  }

  private burn({ by, from: named, id, amount: asked }: Call & { kind: 'burn' }): boolean {
    // An ERC-721 burn has no holder argument.
    const from = this.kind.isErc721 ? this.holder(id) : named;
    const burned = this.kind.isErc721 ? 1n : asked;
    if (from === undefined || burned === 0n || this.held(from, id) < burned || !this.mayMove(by, from, id))
      return false;
    this.add(from, id, -burned);
    this.approved.delete(id);
    return true;
  }

  private approve({ by, to, id }: Call & { kind: 'approve' }): boolean {
    const holder = this.holder(id);
    if (holder === undefined || (by !== holder && !this.operators.has(`${holder}:${by}`))) return false;
    this.approved.set(id, to);
    return true;
  }
}

/** Balances reconstructed from the transfer events alone. */
class Ledger {
  readonly units = new Map<string, bigint>();
  /** Transfers from one holder to another. */
  moves = 0;

  read(token: Contract, receipt: { logs: Parameters<typeof parseEventLogs>[0]['logs'] }): void {
    for (const event of parseEventLogs({ abi: token.abi, logs: receipt.logs })) {
      const { eventName, args } = event as unknown as {
        eventName: string;
        args: { from: Address; to: Address; tokenId: bigint; id: bigint; value: bigint };
      };
      if (eventName !== 'Transfer' && eventName !== 'TransferSingle') continue;
      const [id, units] = eventName === 'Transfer' ? [args.tokenId, 1n] : [args.id, args.value];
      if (args.from !== zeroAddress) this.add(args.from, id, -units);
      if (args.to !== zeroAddress) this.add(args.to, id, units);
      if (args.from !== zeroAddress && args.to !== zeroAddress) this.moves += 1;
    }
  }

  held(holder: Address, id: bigint): bigint {
    return this.units.get(`${holder}:${id}`) ?? 0n;
  }

  private add(holder: Address, id: bigint, change: bigint): void {
    this.units.set(`${holder}:${id}`, this.held(holder, id) + change);
  }
}

let chain: EphemeralChain;
let forwarder: Forwarder;
let relayer: PrivateKeyAccount;
let accounts: readonly PrivateKeyAccount[];

beforeAll(async () => {
  chain = await startEphemeralChain();
  forwarder = await chain.deploy(minimalForwarder, []);
  relayer = await chain.account('relayer');
  accounts = await Promise.all(['owner', 'ann', 'ben', 'cat'].map((name) => chain.account(name)));
});

afterAll(() => chain.stop());

const accountOf = (index: number): PrivateKeyAccount => accounts[index]!;
const addressOf = (index: number): Address => accountOf(index).address;

/** Name and arguments of a call in the contract's token standard. */
function written(kind: TokenKind, call: Call): [string, readonly unknown[]] {
  const units = (value: bigint) => (kind.isErc721 ? [] : [value]);
  if (call.kind === 'mint') {
    const document = documents[call.document]!;
    const record = kind.isCertificate ? [document.uri, document.hash] : [];
    return ['mint', [addressOf(call.to), call.id, ...units(call.amount), ...record]];
  }
  if (call.kind === 'transfer') {
    const data = kind.isErc721 ? [] : ['0x'];
    return ['safeTransferFrom', [addressOf(call.from), addressOf(call.to), call.id, ...units(call.amount), ...data]];
  }
  if (call.kind === 'burn') {
    return ['burn', kind.isErc721 ? [call.id] : [addressOf(call.from), call.id, call.amount]];
  }
  if (call.kind === 'approve') return ['approve', [addressOf(call.to), call.id]];
  return ['setApprovalForAll', [addressOf(call.to), call.on]];
}

/** Sends or relays a call. @returns whether it succeeded, and its logs. */
async function send(kind: TokenKind, token: Contract, call: Call) {
  const [functionName, args] = written(kind, call);
  const data = encodeFunctionData({ abi: token.abi, functionName, args });
  const by = accountOf(call.by);
  if (!call.relayed) {
    const receipt = await chain.send({ from: by.address, to: token.address, data, gas: 500_000n });
    return { receipt, succeeded: receipt.status === 'success' };
  }
  const request = await signedRequest(chain, forwarder, by, { to: token.address, data });
  const receipt = await chain.send({
    from: relayer.address,
    to: forwarder.address,
    data: callData(forwarder, 'execute', request),
  });
  const [executed] = parseEventLogs({ abi: forwarder.abi, logs: receipt.logs, eventName: 'Executed' });
  return { receipt, succeeded: executed?.args.success };
}

const addressIfAny = (index: number | undefined): Address | undefined =>
  index === undefined ? undefined : addressOf(index);

/** Compares the contract and the balances from its events with the model. */
async function expectSame(kind: TokenKind, token: Contract, model: Model, ledger: Ledger): Promise<void> {
  const read = (functionName: string, args: readonly unknown[]): Promise<unknown> =>
    chain.client.readContract({ ...token, functionName, args });
  const readOr = (functionName: string, args: readonly unknown[]): Promise<unknown> =>
    read(functionName, args).catch(() => undefined);
  const holders = [0, 1, 2, 3];

  const checks: [string, Promise<unknown>, unknown][] = [];
  for (const id of ids) {
    const exists = model.supply(id) > 0n;
    for (const holder of holders) {
      const { address } = accountOf(holder);
      checks.push([`ledger of ${holder} for ${id}`, Promise.resolve(ledger.held(address, id)), model.held(holder, id)]);
      if (!kind.isErc721) {
        checks.push([`balance of ${holder} for ${id}`, read('balanceOf', [address, id]), model.held(holder, id)]);
      }
    }
    if (kind.isErc721) {
      checks.push([`holder of ${id}`, readOr('ownerOf', [id]), addressIfAny(model.holder(id))]);
      const approved = exists ? (addressIfAny(model.approved.get(id)) ?? zeroAddress) : undefined;
      checks.push([`approved for ${id}`, readOr('getApproved', [id]), approved]);
    }
    if (kind.isCertificate) {
      const document = exists ? documents[model.recorded.get(id)!] : undefined;
      checks.push([`hash of ${id}`, readOr('getMetadataHash', [id]), document?.hash]);
      checks.push([`URI of ${id}`, readOr(kind.isErc721 ? 'tokenURI' : 'uri', [id]), document?.uri]);
      if (!kind.isErc721) checks.push([`supply of ${id}`, read('totalSupply', [id]), model.supply(id)]);
    }
  }
  for (const holder of holders) {
    const { address } = accountOf(holder);
    if (kind.isErc721) {
      const total = ids.reduce((sum, id) => sum + model.held(holder, id), 0n);
      checks.push([`balance of ${holder}`, read('balanceOf', [address]), total]);
    }
    for (const other of holders) {
      const expected = model.operators.has(`${holder}:${other}`);
      checks.push([
        `${other} operates for ${holder}`,
        read('isApprovedForAll', [address, accountOf(other).address]),
        expected,
      ]);
    }
  }
  const actual = await Promise.all(checks.map(async ([what, value]) => [what, await value]));
  expect(actual).toEqual(checks.map(([what, , expected]) => [what, expected]));
}

describe.each(tokenKinds)('any sequence of calls to $name', (kind) => {
  it('behaves as a simple model predicts, call by call, directly or relayed; events, balances and holders agree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: callsPerSequence, size: 'max' }), async (calls) => {
        const token: Contract = await chain.deploy(
          kind.artifact,
          kind.constructorArgs(accountOf(0).address, forwarder.address),
        );
        const model = new Model(kind);
        const ledger = new Ledger();
        for (const call of calls) {
          if (call.kind === 'approve' && !kind.isErc721) continue;
          const expected = model.apply(call);
          const { receipt, succeeded } = await send(kind, token, call);
          expect(succeeded).toBe(expected);
          ledger.read(token, receipt);
          await expectSame(kind, token, model, ledger);
          expect(kind.isCertificate && ledger.moves > 0).toBe(false);
        }
      }),
      randomCases(sequences),
    );
  });
});
