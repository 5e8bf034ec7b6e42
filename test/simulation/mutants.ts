import type { Wanted } from './is-wanted.ts';
import type { ThemeName } from './world/faults.ts';

/**
 * A source change that removes a guard: the text to find, which occurs once, and its replacement.
 */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/** It runs only the seeds that it names, because others rarely catch it; in rich worlds if it names conditions. */
export interface Mutant extends Wanted {
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** Whether the database is a real server with many connections (`--postgres`). */
  readonly isPostgres?: boolean;
}

const one = (name: string, file: string, find: string, put: string, themes?: readonly ThemeName[]): Mutant => ({
  name,
  edits: [{ file: `src/engine/${file}`, find, put }],
  ...(themes === undefined ? {} : { themes }),
});

const BUNDLES: readonly ThemeName[] = ['bundles', 'bundles and drivers', 'bundles refused'];

/** Removals of guards, each of which the simulation must detect. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a retry with the same Idempotency-Key is a new request',
    edits: [
      {
        file: 'src/http/idempotency.ts',
        find: "if (key === undefined || !KEY.test(key) || c.req.method !== 'POST') return next();",
        put: "if (key !== 'none' || c.req.method !== 'POST') return next();",
      },
    ],
  },
  {
    name: 'a deployment that has failed or was cancelled is ACTIVE without a contract',
    edits: [
      {
        file: 'src/orders/deploy/deploy-kind.ts',
        find: "if ((await reads.code(contractAddress)) === '0x') continue;",
        put: "if ((await reads.code(contractAddress)) === '0x0') continue;",
      },
    ],
  },
  {
    name: 'events do not name the transaction',
    edits: [
      {
        file: 'src/webhooks/engine-hooks.store.ts',
        find: 'data: kind.events.reply(outcome, {\n        ...end,',
        put: 'data: kind.events.reply(outcome, {\n        ...end,\n        txHash: null,',
      },
    ],
  },
  one(
    'an order is CONFIRMED without its transaction hash',
    'store/end-transactions.ts',
    'txHash: outcome.mined?.txHash ?? null,\n    gasUsed',
    'txHash: null,\n    gasUsed',
  ),
  {
    name: 'orders are signed without the approval that they need',
    edits: [
      {
        file: 'src/engine/transactions.store.ts',
        find: 'sql`greatest(o.next_try_at, ${approvalUntil})`',
        put: 'sql`o.next_try_at`',
      },
      {
        file: 'src/engine/prepare.ts',
        find: 'if (approvalUntil !== null) {',
        put: 'if (approvalUntil === undefined) {',
      },
    ],
  },
  {
    name: 'orders are recorded after they are stored, not with them',
    edits: [
      {
        file: 'src/platform/database/record-change.ts',
        find: 'if (asked === undefined) return',
        put: 'if (asked?.isRecorded !== true) return',
      },
    ],
  },
  one(
    'attempts are sent before they are stored',
    'process-chunk.ts',
    `const stored = await storeSigned(driver, 'waiting', attempts);`,
    `await driver.chain.rpc.request(attempts.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
    const stored = await storeSigned(driver, 'waiting', attempts);`,
  ),
  one(
    'attempts are sent although it is unknown whether they are stored',
    'sign.ts',
    `    if (isUnknown) driver.markOutdated();
    if (isUnknown || attempts.length === 1) return [];`,
    `    if (isUnknown) return attempts.map((attempt) => withAttempt(attempt, head, now, refusal));
    if (attempts.length === 1) return [];`,
  ),
  one(
    'attempts are sent although another driver was faster',
    'sign.ts',
    `    driver.markOutdated();
    return [];
  }
  if (from === 'waiting') driver.memory.undone = Math.max(0, driver.memory.undone - 1);
  driver.memory.recordSigned(stored.signedAt);
  driver.memory.wakeLater(stored.receivers)`,
    `    driver.markOutdated();
  }
  driver.memory.wakeLater(stored?.receivers ?? [])`,
    ['two drivers', 'nonces used elsewhere, with two drivers', 'late statements'],
  ),
  one(
    "attempts are stored whatever the transaction's version and state",
    'store/store-attempts.ts',
    'where t.id = u.id and t.version = u.version and t.state = ${from} ${holdsNonce}',
    'where t.id = u.id ${holdsNonce}',
    ['two drivers'],
  ),
  one(
    'a chunk is stored partially',
    'store/store-attempts.ts',
    'having count(*) <> ${signed.length}::int or ',
    'having ',
    ['two drivers'],
  ),
  one(
    'a nonce is given up without a guard',
    'store/waiting.ts',
    `on t.id = v.id and t.version = v.version and t.nonce = v.nonce
      where t.state = 'signed' order`,
    'on t.id = v.id order',
    ['late statements', 'nonces used elsewhere, with two drivers'],
  ),
  one(
    'a pause does not stop a driver that claimed before it',
    'store/pauses.ts',
    't set version = t.version + 1, updated_at',
    't set updated_at',
    ['pauses'],
  ),
  one('what is paused is signed', 'prepare.ts', 'if (paused !== null) return', 'if (paused === undefined) return', [
    'pauses',
  ]),
  {
    ...one(
      'an unknown higher transaction count is ignored',
      'driver.ts',
      'const length = Math.min(MAX_HELD_NONCES, Math.max(0, count - lowest));',
      'const length = 0 * lowest;',
    ),
    conditions: ['set back'],
  },
  {
    ...one(
      'any transaction explains a nonce',
      'explain-nonces.ts',
      "const order = consumer === undefined ? 'unknown' : await firstLike(driver, consumer);",
      "const order = consumer === undefined ? 'unknown' : undefined;",
    ),
    conditions: ['set back'],
  },
  {
    name: 'a request to cancel believes a set-back database',
    edits: [
      {
        file: 'src/orders/cancel-order.ts',
        find: 'if (await mayLackAttempts(services, lane)) return false;',
        put: '',
      },
    ],
    conditions: ['set back'],
  },
  one('two chunks spend a limit together', 'store/store-attempts.ts', 'guard: guard?.check,', 'guard: undefined,', [
    'limits',
  ]),
  {
    name: 'accepted orders are not counted against a limit',
    edits: [{ file: 'src/limits/limits.store.ts', find: ' + (select count(*) from fresh)\n', put: '\n' }],
    themes: ['limits'],
  },
  {
    name: 'a cancelled order is executed',
    edits: [
      {
        file: 'src/engine/prepare.ts',
        find: 'if (transaction.cancelRequestedAt !== null) return',
        put: 'if (transaction.cancelRequestedAt !== null && transaction.approvalUntil !== null) return',
      },
      {
        file: 'src/orders/cancel-order.ts',
        find: 'const isUnsigned = isWaiting(job) && !wasSigned(job);',
        put: 'const isUnsigned = job.transaction.approvalUntil !== null;',
      },
    ],
  },
  {
    name: 'a refusal approves',
    edits: [
      {
        file: 'src/approvals/approvals.store.ts',
        find: "decision.decision === 'approved' ? sql`approval_until = null` : sql`cancel_requested_at = ${at}`",
        put: 'sql`approval_until = null`',
      },
      {
        file: 'src/approvals/decide-approval.ts',
        find: "if (decision === 'refused') await carryOutCancel(services, job);",
        put: 'if (decision === undefined) await carryOutCancel(services, job);',
      },
    ],
  },
  one(
    'an order that cannot be executed is cancelled',
    'decisions.ts',
    "if (error instanceof OrderRefused) this.refuse(job, 'failed',",
    "if (error instanceof OrderRefused) this.refuse(job, 'cancelled',",
  ),
  {
    name: 'a deployment is not followed by the ownership transfer',
    edits: [
      {
        file: 'src/orders/deploy/deploy-kind.ts',
        find: "if (outcome.result !== 'confirmed' || order.transferOwnerAddress === null) return [];",
        put: "if (outcome.result !== 'confirmed' || order.transferOwnerAddress !== undefined) return [];",
      },
    ],
  },
  {
    name: 'an event has the type of another end',
    edits: [
      {
        file: 'src/webhooks/engine-hooks.store.ts',
        find: 'kind.events.types[outcome.result].type',
        put: 'kind.events.types.confirmed.type',
      },
    ],
  },
  one(
    'an order that failed names no block',
    'store/end-transactions.ts',
    `block_number: mined?.blockNumber ?? null,
    block_hash: mined?.blockHash ?? null,`,
    `block_number: outcome.result === 'confirmed' ? (mined?.blockNumber ?? null) : null,
    block_hash: outcome.result === 'confirmed' ? (mined?.blockHash ?? null) : null,`,
  ),
  one(
    'what was paid is not counted as spent',
    'store/end-transactions.ts',
    'spent_wei = case when t.bundle_id is null then v.spent * 1e18 end,',
    'spent_wei = 0,',
  ),
  one(
    'an order is cancelled at a head that was read before the request',
    'lane-run.ts',
    'return transaction.cancelRequestedAt !== null;',
    'return transaction.cancelRequestedAt === undefined;',
    ['requests submitted by their signers'],
  ),
  {
    name: 'an event is delivered with the id of its delivery',
    edits: [{ file: 'src/webhooks/deliver.ts', find: 'id: eventIdOf(eventId)', put: 'id: eventIdOf(attempt.id)' }],
  },
  one(
    'a nonce is given up without proof',
    'observe.ts',
    'const consumer = consumers.get(nonce);',
    'const consumer = consumers.get(nonce) ?? (nonce < head.count ? { transaction: {} as never, finalAt: 0 } : undefined);',
  ),
  {
    name: 'an own attempt counts as a foreign transaction',
    edits: [
      {
        file: 'src/engine/observe.ts',
        find: 'if (any.attempts.some((attempt) => attempt.hash === hash)) continue;',
        put: '',
      },
      {
        file: 'src/engine/observe.ts',
        find: 'if (transaction !== undefined && carrier !== undefined) {',
        put: 'if (transaction !== undefined && carrier !== undefined && nonce < 0) {',
      },
    ],
  },
  {
    name: 'blocks that are not final prove a loss',
    edits: [
      {
        file: 'src/engine/nonce-consumers.ts',
        find: 'const lastFinal = head.number - chain.finality + 1;',
        put: 'const lastFinal = head.number;',
      },
      {
        file: 'src/engine/majority.ts',
        find: 'const mined = transactions.map((one) => ({ ...one, depth: finality }));',
        put: 'const mined = transactions.map((one) => ({ ...one, depth: Math.min(finality, 1) }));',
      },
    ],
    themes: ['nonces used elsewhere, then reorganized out'],
  },
  {
    name: "the hash and the signer of a nonce's consumer are believed",
    edits: [
      {
        file: 'src/engine/nonce-consumers.ts',
        find: 'const transaction = await proveTransaction(reported);',
        put: 'const said = reported as never as ProvenTransaction;\n    const transaction = { ...said, nonce: Number(said.nonce), chainId: undefined };',
      },
      {
        file: 'src/engine/majority.ts',
        find: 'return mined.every((one) => isMost(votes.filter((receipts) => receipts.has(one)).length, rpc.providers));',
        put: 'return mined.every(() => votes.length > 0);',
      },
    ],
    themes: ['false bodies', 'false bodies and nonces used elsewhere'],
  },
  one(
    'a transaction that most nodes do not have in a block has used a nonce there',
    'majority.ts',
    'return mined.every((one) => isMost(votes.filter((receipts) => receipts.has(one)).length, rpc.providers));',
    'return mined.every(() => votes.length > 0);',
    ['a provider that shows what was only signed'],
  ),
  one(
    'one of three nodes ends an order',
    'majority.ts',
    'if (rpc.providers < 3) return new Map(mined.map((one) => [one, one.receipt]));',
    'if (rpc.providers > 0) return new Map(mined.map((one) => [one, one.receipt]));',
    ['a provider that lies about blocks'],
  ),
  {
    name: 'a driver goes on although the fence was raised',
    edits: [
      {
        file: 'src/platform/database/client.ts',
        find: "return db.scope === 'tenant' || db.epoch === undefined ? undefined : sql`require_epoch(${db.epoch})`;",
        put: 'return undefined;',
      },
    ],
    themes: ['fences'],
  },
  one(
    'a false observation is kept',
    'evidence.ts',
    'const dropped = observations.filter(isFalse);',
    'const dropped = observations.filter((one) => isFalse(one) && one.length === 0);',
    ['absurd heights', 'a provider that lies'],
  ),
  {
    name: 'a receipt counts by its position in the reply',
    edits: [{ file: 'src/chains/rpc-values.ts', find: `field('transactionHash') !== hash || `, put: '' }],
    themes: ['lies'],
  },
  one(
    'a receipt counts although its block is not canonical',
    'receipts.ts',
    'const canonical = matching.filter(({ receipt }) => canonicalHashes.get(receipt.blockNumber) === receipt.blockHash);',
    'const canonical = matching;',
    ['receipts of other branches', 'nodes on other branches', 'late ends'],
  ),
  one(
    'only the receipt of the newest attempt is read',
    'receipts.ts',
    'const requests = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));',
    'const requests = jobs.flatMap((job) => job.attempts.slice(-1).map((attempt) => ({ job, attempt })));',
    ['replacements'],
  ),
  one(
    'a revert in a block that is not final ends an order',
    'receipts.ts',
    `return receipt.blockNumber + ('effect' in result ? confirmations : finality) - 1;`,
    'return receipt.blockNumber + confirmations - 1;',
  ),
  one(
    'an effect counts before it has its confirmations',
    'receipts.ts',
    `return receipt.blockNumber + ('effect' in result ? confirmations : finality) - 1;`,
    `return receipt.blockNumber + ('effect' in result ? 1 : finality) - 1;`,
  ),
  one(
    'confirmed transactions are not rechecked',
    'finality.ts',
    'placed.filter(({ blockNumber, blockHash }) => hashes.get(blockNumber) === blockHash),',
    'placed.filter(({ blockNumber }) => hashes.get(blockNumber) !== undefined),',
    ['late ends', 'reverts on one branch', 'nodes on other branches', 'receipts of other branches'],
  ),
  one(
    "an end is written whatever the transaction's version and state",
    'store/end-transactions.ts',
    `where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))`,
    'where t.id = v.id',
    ['late ends', 'late statements'],
  ),
  {
    name: 'events are written after the end, not with it',
    edits: [
      { file: 'src/engine/store/end-transactions.ts', find: '    told,\n', put: '' },
      {
        file: 'src/engine/store/end-transactions.ts',
        find: 'hooks.receiversOf(results.told)',
        put: 'hooks.receiversOf((await runBatch(db, { told })).told)',
      },
    ],
  },
  {
    name: 'a notice of a sent order is stored after the attempt, not with it',
    edits: [
      {
        file: 'src/engine/store/store-attempts.ts',
        find: '      told: first.length === 0 ? undefined : hooks.sent(db, lane, first, now),\n',
        put: '',
      },
      {
        file: 'src/engine/store/store-attempts.ts',
        find: 'const { told, laneRows } = await',
        put: 'const { laneRows } = await',
      },
      {
        file: 'src/engine/store/store-attempts.ts',
        find: '    return { receivers: told === undefined',
        put: `    const { told } = await runBatch(db, { told: first.length === 0 ? undefined : hooks.sent(db, lane, first, now) });
    return { receivers: told === undefined`,
      },
    ],
  },
  {
    name: 'an endpoint gets events that it does not name',
    edits: [
      {
        file: 'src/webhooks/events.store.ts',
        find: "const types = what === 'ends' ? sql`(p.event_types is null or ${named})` : named;",
        put: 'const types = sql`(p.event_types is null or ${named})`;',
      },
    ],
  },
  {
    name: 'the events of an end are stored after it, not with it',
    edits: [
      {
        file: 'src/engine/store/end-transactions.ts',
        find: '  const results = await runBatch(db, {',
        put: `  const { marked } = await runBatch(db, { marked: markEnded(db, batchId, endings) });
  const results = await runBatch(db, {`,
      },
      {
        file: 'src/engine/store/end-transactions.ts',
        find: '    marked: markEnded(db, batchId, endings),\n',
        put: '',
      },
      { file: 'src/engine/store/end-transactions.ts', find: 'results.marked.rows', put: 'marked.rows' },
    ],
  },
  one(
    'a held nonce is assigned again',
    'driver.ts',
    'const nonces = freeNonces(lowest, this.#held, count).filter((nonce) => nonce < end);',
    'const nonces = freeNonces(lowest, new Set(), count).filter((nonce) => nonce < end);',
  ),
  one(
    'gaps are not filled',
    'own-next-nonce.ts',
    'if (owner === undefined) return await fill(driver, lowest, head);',
    'if (owner === undefined) return undefined;',
    ['nonces used elsewhere, then reorganized out'],
  ),
  one(
    'nothing is sent again',
    'resubmit.ts',
    'await send(driver, [...replaced, ...rebroadcasts]);',
    'await send(driver, replaced);',
    ['pools'],
  ),
  one(
    'underpriced attempts are not replaced',
    'resubmit.ts',
    `return isReplaceable({ attempt, sending, isFirst, market: head, block: head.number, since }) ? 'same' : undefined;`,
    'return undefined;',
    ['replacements', 'pools'],
  ),
  one(
    'a replacement is signed for another nonce',
    'resubmit.ts',
    '...target, nonce: job.transaction.nonce, offer }',
    '...target, nonce: job.transaction.nonce + 1, offer }',
    ['replacements', 'pools'],
  ),
  one(
    'a block hash counts although its node is on another branch',
    'chain-head.ts',
    'return header?.number === number && top?.hash === head.hash ? header : undefined;',
    'return header?.number === number ? header : undefined;',
    ['receipts of other branches', 'nodes on other branches', 'late ends'],
  ),
  one(
    'calls and estimates name their block by its number',
    'chain-reads.ts',
    'return finality === 1 ? toHex(number) : { blockHash: hash, requireCanonical: true };',
    'return toHex(number);',
    ['nodes on other branches'],
  ),
  {
    ...one(
      'ranges of logs that nodes refuse are not halved',
      'chain-reads.ts',
      'if (length === 1) return undefined;',
      'if (length >= 1) return undefined;',
      ['copied calls', 'requests submitted by their signers'],
    ),
    conditions: ['scarce'],
  },
  one(
    'a reverted order is FAILED although a third party has executed its call',
    'receipts.ts',
    `  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt, ...foreign };`,
    '',
    ['copied calls'],
  ),
  one(
    "a third party's transaction counts before it has its confirmations",
    'receipts.ts',
    `if (depth < chain.confirmations) return 'later';`,
    '',
    ['copied calls'],
  ),
  one(
    'what a bundle has done without fails',
    'observe.ts',
    "isCarried(job) && 'failure' in result;",
    "job.attempts.length === 0 && 'failure' in result;",
    BUNDLES,
  ),
  {
    name: 'what a bundle has done without is released before its receipt is final',
    edits: [
      {
        file: 'src/engine/observe.ts',
        find: 'isLeftOut(one) && deepEnoughAt(one.found, one.result, chain) <= head.number',
        put: 'isLeftOut(one)',
      },
      {
        file: 'src/engine/majority.ts',
        find: '...new Map(mined.map((one) => [one.hash, { ...one, depth: finality }])).values(),',
        put: '...new Map(mined.map((one) => [one.hash, { ...one, depth: 1 }])).values(),',
      },
    ],
    themes: BUNDLES,
  },
  one(
    'what a bundle carries stays CONFIRMED when its bytes are in another block, whatever they did there',
    'finality.ts',
    "own !== undefined && 'effect' in interpretReceipt(own)",
    'own !== undefined && interpretReceipt(own) !== undefined',
    BUNDLES,
  ),
  one(
    'the shares of a bundle do not sum to what it cost',
    'settle.ts',
    'return upTo(bundlePlace + 1) - upTo(bundlePlace);',
    'return upTo(1);',
    BUNDLES,
  ),
  one(
    'what a bundle carries counts as spent, beside the bundle',
    'store/end-transactions.ts',
    'case when t.bundle_id is null then v.spent * 1e18 end',
    'v.spent * 1e18',
    BUNDLES,
  ),
  {
    name: 'a signed request that was mined counts as carried out, although its token is where it was',
    edits: [
      {
        file: 'src/relay/holder-request-kind.ts',
        find: 'hasTransferLog(movement(order), receipt.logs) ? { effect: null }',
        put: 'receipt.logs.length > 0 ? { effect: null }',
      },
    ],
  },
  {
    name: "a secret that is not the wallet's key fails its orders",
    edits: [
      {
        file: 'src/engine/lane-signer.ts',
        find: `import { NotNow } from`,
        put: `import { NotNow, OrderRefused } from`,
      },
      {
        file: 'src/engine/lane-signer.ts',
        find: '    throw new NotNow(',
        put: `    if (error instanceof SigningKeyError) throw new OrderRefused(error.message);
    throw new NotNow(`,
      },
    ],
    themes: ['accounts'],
  },
  {
    ...one(
      'an object does not notice that the database was set back',
      'store/lane-row.ts',
      'if (signedAt === null) return sql`false`;',
      'if (signedAt !== undefined) return sql`false`;',
    ),
    conditions: ['set back'],
  },
  {
    ...one(
      'a transaction that the database lacks does not keep its orders from being signed',
      'driver.ts',
      'if (nonce === undefined) return undefined;',
      'if (nonce !== -1) return undefined;',
    ),
    conditions: ['set back'],
  },
  {
    name: 'a lane that was in doubt stands although the database was compared with the chain',
    edits: [
      {
        file: 'cli/compare/adopt-matches.ts',
        find: 'signed_at = greatest(l.signed_at + interval',
        put: 'signed_at = least(l.signed_at + interval',
      },
    ],
    conditions: ['set back'],
  },
  {
    name: 'a wallet that was used before it had orders keeps the comparison from being complete',
    edits: [
      {
        file: 'cli/compare/recorded-orders.ts',
        find: 'mayBeOlder: isKnown || row.isOlder',
        put: 'mayBeOlder: true',
      },
    ],
    conditions: ['set back'],
  },
  {
    name: 'what a pool has of a wallet that had signed nothing before keeps no comparison from being complete',
    edits: [
      {
        file: 'cli/compare/recorded-orders.ts',
        find: 'if (!isKnown && !row.isOpen) return [];',
        put: 'if (!isKnown && !row.isOlder) return [];',
      },
    ],
    conditions: ['set back', 'scarce', 'late finality'],
  },
  {
    name: 'transactions have the isolation that the database gives them',
    edits: [
      {
        file: 'src/platform/database/client.ts',
        find: "neon(settings.DATABASE_URL, { isolationLevel: 'ReadCommitted' })",
        put: 'neon(settings.DATABASE_URL)',
      },
    ],
    isPostgres: true,
  },
  {
    ...one(
      'what a reorganization took out is sent again only by a lane that has nothing else to do',
      'lane-run.ts',
      'await ownNextNonce(this.#driver, head);',
      'if (this.#nextDueAt - head.readAt > SOON_MS && !this.#isFull) await ownNextNonce(this.#driver, head);',
    ),
    conditions: ['late finality', 'narrow windows'],
  },
  {
    ...one(
      'first attempts are stored with the time of the clock that was asked last',
      'store/lane-row.ts',
      "signedAt: sql`greatest(${lanes.signedAt} + interval '1 millisecond', ${at})`",
      'signedAt: sql`${at}`',
    ),
    conditions: ['clocks apart'],
    themes: ['two drivers', 'messages', 'deaths', 'nonces used elsewhere, with two drivers', 'bundles and drivers'],
  },
  {
    ...one(
      'one of two providers proves that a nonce is lost',
      'majority.ts',
      'return mined.every((one) => isMost(votes.filter((receipts) => receipts.has(one)).length, rpc.providers));',
      'return mined.every((one) => votes.filter((receipts) => receipts.has(one)).length * 2 >= rpc.providers);',
    ),
    conditions: ['two providers'],
    themes: ['nonces used elsewhere, then reorganized out', 'false bodies and nonces used elsewhere', 'false bodies'],
  },
  {
    ...one(
      'a first offer takes all that the caps allow',
      'fees.ts',
      'const RAISES_LEFT = { market: 4, replacement: 1, cancel: 0 };',
      'const RAISES_LEFT = { market: 0, replacement: 0, cancel: 0 };',
    ),
    conditions: ['scarce'],
    themes: ['replacements', 'pools', 'bundles', 'keys in a KMS', 'refused transactions'],
  },
  {
    ...one(
      'an instance of an object that was replaced stores first attempts',
      'sign.ts',
      "if (from === 'waiting') driver.memory.keepPlace();",
      '',
    ),
    conditions: ['set back'],
    themes: ['two drivers', 'nonces used elsewhere, with two drivers', 'bundles and drivers', 'pauses'],
  },
  {
    name: 'the mint of a reissue does not wait for its revocation',
    edits: [
      {
        file: 'src/orders/following-orders.store.ts',
        find: "where followed.state <> 'confirmed'`",
        put: 'where followed.state is null`',
      },
    ],
  },
  {
    name: 'the mint of a reissue outlasts the end of its revocation',
    edits: [
      {
        file: 'src/orders/following-orders.store.ts',
        find: 'case when followed.status in ${undone} then followed.updated_at end',
        put: 'case when followed.status is null then followed.updated_at end',
      },
    ],
  },
  {
    name: 'a base URI has two changes at a time',
    edits: [
      {
        file: 'src/orders/base-uri/accept-base-uri.ts',
        find: '{ contractId: contract.id }',
        put: '{ contractId: order.id }',
      },
    ],
  },
  {
    name: 'a change of a base URI is CONFIRMED without its event',
    edits: [
      {
        file: 'src/orders/base-uri/base-uri-kind.ts',
        find: 'data: encodeBaseUriChange(order) }),',
        put: "data: '0x8da5cb5b' }),",
      },
      {
        file: 'src/orders/base-uri/base-uri-kind.ts',
        find: 'return isChanged\n',
        put: 'return isChanged || logs.length === 0\n',
      },
    ],
  },
  {
    ...one(
      'a nonce whose owner was CONFIRMED in a block that the chain has left stays open',
      'own-next-nonce.ts',
      "if (owner.state === 'confirmed' && owner.blockNumber !== null)",
      "if (owner.state === 'cancelled' && owner.blockNumber !== null)",
    ),
    conditions: ['late finality'],
  },
];
