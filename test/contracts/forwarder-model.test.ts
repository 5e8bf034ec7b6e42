import * as fc from 'fast-check';
import { parseEventLogs, type Hex, type TransactionReceipt } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { type EphemeralChain, startEphemeralChain } from '../../scripts/contracts/ephemeral-chain.ts';
import { type Contract, callData, write } from './support/contract-calls.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { compileFixtures } from './support/fixtures.ts';
import { type Forwarder, signedRequest } from './support/forward-request.ts';

/** The number of sequences, and of steps per sequence. */
const sequences = 20;
const stepsPerSequence = 25;

/** The content of a signed request. Nonces are relative to the signer's next nonce at that step. */
type Wish = { kind: 'record' } | { kind: 'fail' } | { kind: 'cancel'; ahead: bigint };

/** A signer signs a request, which anyone may copy; or a copy is submitted; or a signer cancels by transaction. */
type Step =
  | { kind: 'sign'; signer: number; ahead: bigint; wish: Wish }
  | { kind: 'submit'; copy: number }
  | { kind: 'cancel'; signer: number; ahead: bigint };

const signerIndex = fc.nat({ max: 1 });
const ahead = fc.bigInt({ min: -1n, max: 3n });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('sign'),
    signer: signerIndex,
    ahead,
    wish: fc.oneof(
      fc.record({ kind: fc.constant('record') }),
      fc.record({ kind: fc.constant('fail') }),
      fc.record({ kind: fc.constant('cancel'), ahead }),
    ),
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit'), copy: fc.nat() }) },
  fc.record({ kind: fc.constant('cancel'), signer: signerIndex, ahead }),
);

/** A copy of a signed request. */
interface Copy {
  signer: number;
  nonce: bigint;
  /** The last nonce to cancel; undefined for other requests. */
  lastNonce: bigint | undefined;
  fails: boolean;
  args: Awaited<ReturnType<typeof signedRequest>>;
}

let chain: EphemeralChain;
let fixture: ReturnType<typeof compileFixtures>;
let relayer: PrivateKeyAccount;
let signers: readonly PrivateKeyAccount[];

beforeAll(async () => {
  chain = await startEphemeralChain();
  fixture = compileFixtures('ForwarderTargets.sol');
  relayer = await chain.account('relayer');
  signers = await Promise.all(['ann', 'ben'].map((name) => chain.account(name)));
});

afterAll(() => chain.stop());

/** How each nonce was used, reconstructed from the events alone. */
class Ledger {
  readonly fates = new Map<string, 'executed' | 'cancelled'>();

  read(forwarder: Forwarder, { logs }: TransactionReceipt): void {
    for (const { eventName, args } of parseEventLogs({ abi: minimalForwarder.abi, logs })) {
      if (eventName === 'NoncesCancelled') {
        for (let nonce = args.firstNonce; nonce <= args.lastNonce; nonce += 1n) {
          this.write(args.from, nonce, 'cancelled');
        }
      } else if (eventName === 'Executed' && args.to !== forwarder.address) {
        this.write(args.from, args.nonce, 'executed');
      } else if (eventName === 'Executed' && !args.success) {
        // A failed cancellation; a successful one emits its own event.
        this.write(args.from, args.nonce, 'executed');
      }
    }
  }

  private write(signer: Hex, nonce: bigint, fate: 'executed' | 'cancelled'): void {
    const key = `${signer}:${nonce}`;
    if (this.fates.has(key)) throw new Error(`nonce ${key} was used up twice`);
    this.fates.set(key, fate);
  }
}

/** A forwarder with the expected next nonces of the signers and the requests signed for it. */
class Run {
  readonly ledger = new Ledger();
  readonly next = [0n, 0n];
  private readonly copies: Copy[] = [];
  readonly forwarder: Forwarder;
  private readonly probe: Contract;

  constructor(forwarder: Forwarder, probe: Contract) {
    this.forwarder = forwarder;
    this.probe = probe;
  }

  /** Performs a step. @returns the actual and the expected result. */
  async take(step: Step): Promise<{ actual: unknown; expected: unknown }> {
    if (step.kind === 'sign') return this.sign(step);
    return step.kind === 'cancel' ? this.cancel(step) : this.submit(step);
  }

  private async sign({ signer, ahead: nonceAhead, wish }: Step & { kind: 'sign' }) {
    const nonce = this.next[signer]! + nonceAhead;
    const lastNonce = wish.kind === 'cancel' ? nonce + wish.ahead : undefined;
    if (nonce >= 0n && (lastNonce === undefined || lastNonce >= 0n)) {
      const call =
        lastNonce === undefined
          ? { to: this.probe.address, data: callData(this.probe, wish.kind, wish.kind === 'fail' ? [7n] : []) }
          : { to: this.forwarder.address, data: callData(this.forwarder, 'cancel', [lastNonce]) };
      const args = await signedRequest(chain, this.forwarder, signers[signer]!, { ...call, nonce });
      this.copies.push({ signer, nonce, lastNonce, fails: wish.kind === 'fail', args });
    }
    return { actual: 'signed', expected: 'signed' };
  }

  private async cancel({ signer, ahead: nonceAhead }: Step & { kind: 'cancel' }) {
    const last = this.next[signer]! + nonceAhead;
    if (last < 0n) return { actual: 'impossible', expected: 'impossible' };
    const receipt = await write(chain, signers[signer]!.address, this.forwarder, 'cancel', [last]);
    this.ledger.read(this.forwarder, receipt);
    if (nonceAhead >= 0n) this.next[signer] = last + 1n;
    return { actual: receipt.status, expected: nonceAhead >= 0n ? 'success' : 'reverted' };
  }

  private async submit({ copy: index }: Step & { kind: 'submit' }) {
    const copy = this.copies[index % Math.max(this.copies.length, 1)];
    if (copy === undefined) return { actual: 'impossible', expected: 'impossible' };
    const { signer, nonce, lastNonce, fails, args } = copy;
    const receipt = await write(chain, relayer.address, this.forwarder, 'execute', args);
    this.ledger.read(this.forwarder, receipt);
    const [executed] = parseEventLogs({ abi: minimalForwarder.abi, eventName: 'Executed', logs: receipt.logs });
    const actual = { status: receipt.status, success: executed?.args.success };
    if (nonce !== this.next[signer]) return { actual, expected: { status: 'reverted', success: undefined } };
    const cancels = lastNonce !== undefined && lastNonce >= nonce;
    this.next[signer] = (cancels ? lastNonce : nonce) + 1n;
    return { actual, expected: { status: 'success', success: cancels || (lastNonce === undefined && !fails) } };
  }
}

it('any sequence of signing, submitting and cancelling uses each nonce once and in order, as a simple model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: stepsPerSequence, size: 'max' }), async (steps) => {
      const run = new Run(await chain.deploy(minimalForwarder, []), await chain.deploy(fixture('Probe'), []));
      for (const step of steps) {
        const { actual, expected } = await run.take(step);
        expect(actual).toEqual(expected);
      }
      for (const [index, { address }] of signers.entries()) {
        const nonce = await chain.client.readContract({ ...run.forwarder, functionName: 'getNonce', args: [address] });
        expect(nonce).toBe(run.next[index]);
        // The events account for every nonce below it, and for none above.
        const reported = [...run.ledger.fates.keys()].filter((key) => key.startsWith(address));
        expect(reported.toSorted()).toEqual(
          Array.from({ length: Number(nonce) }, (_, n) => `${address}:${n}`).toSorted(),
        );
      }
    }),
    randomCases(sequences),
  );
});
