import type { ThemeName } from './world/faults.ts';

/**
 * A change of a source that takes a guard away: the text to find, which stands there once, and what to put in its
 * place.
 */
interface Edit {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export interface Mutant {
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** Only seeds about one of these are run, where most others would show nothing; absent: every seed. */
  readonly themes?: readonly ThemeName[];
}

const one = (name: string, file: string, find: string, put: string, themes?: readonly ThemeName[]): Mutant => ({
  name,
  edits: [{ file: `src/engine/${file}`, find, put }],
  ...(themes === undefined ? {} : { themes }),
});

/** Every guard of the engine that the simulation must miss at once when it is gone. */
export const mutants: readonly Mutant[] = [
  one(
    'bytes are sent before they are stored',
    'intake.ts',
    `const stored = await storeSigned(context, state, memory, 'waiting', signed);`,
    `await context.chain.rpc.request(signed.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
      const stored = await storeSigned(context, state, memory, 'waiting', signed);`,
  ),
  one(
    'bytes are sent where nobody knows whether they are stored',
    'store-signed.ts',
    `    services.log.error('lane.store_unknown', { ...lane, count: attempts.length, error });
    state.isOutdated = true;
    return [];`,
    `    services.log.error('lane.store_unknown', { ...lane, count: attempts.length, error });`,
  ),
  one(
    'bytes are sent where another driver was faster',
    'store-signed.ts',
    `      state.isOutdated = true;
      return [];
    }
  } catch`,
    `      state.isOutdated = true;
    }
  } catch`,
    ['rivals', 'nonces taken from rivals', 'late statements'],
  ),
  one(
    'attempts are stored whatever has become of the transaction',
    'store/store-attempts.ts',
    'where t.id = v.id and t.version = v.version and t.state = ${from} ${holdsNonce}',
    'where t.id = v.id ${holdsNonce}',
    ['rivals'],
  ),
  one(
    'a chunk is stored in part',
    'store/store-attempts.ts',
    'select 1 / (case when count(*) = ${values.length}::int then 1 else 0 end) as stored from changed',
    'select 1 as stored from changed',
    ['rivals'],
  ),
  one(
    'a nonce is given up without a guard, as in the first engine',
    'store/waiting.ts',
    `          eq(transactions.version, transaction.version),
          eq(transactions.state, 'signed'),
          eq(transactions.nonce, transaction.nonce),`,
    '',
    ['late statements', 'nonces taken from rivals'],
  ),
  one(
    'a nonce is given up without proof',
    'observe.ts',
    `const taker = takers.get(nonce);
    if (taker === undefined) continue;`,
    `const taker = takers.get(nonce) ?? '0x';
    if (nonce >= head.count) continue;`,
  ),
  one(
    'an earlier attempt of our own counts as a stranger',
    'observe.ts',
    'if (job.attempts.some(({ hash }) => hash === taker)) continue;',
    'if (job.attempts.at(-1)?.hash === taker) continue;',
    ['replacements'],
  ),
  one(
    'an own transaction counts as a stranger',
    'observe.ts',
    'if (job.attempts.some(({ hash }) => hash === taker)) continue;',
    '',
  ),
  one(
    'blocks that may be taken back prove a loss',
    'nonce-takers.ts',
    'const lastFinal = head.number - chain.finality + 1;',
    'const lastFinal = head.number;',
    ['nonces taken, and taken back'],
  ),
  one('a receipt counts by its place in the reply', 'receipts.ts', `field('transactionHash') !== hash || `, '', [
    'lies',
  ]),
  one(
    'a receipt counts whatever block stands at its height',
    'receipts.ts',
    'const standing = named.filter(({ receipt }) => hashes.get(receipt.blockNumber) === receipt.blockHash);',
    'const standing = named;',
    ['receipts of branches', 'nodes on other branches', 'late ends'],
  ),
  one(
    'only the newest attempt is looked for',
    'receipts.ts',
    'const asked = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));',
    'const asked = jobs.flatMap((job) => job.attempts.slice(-1).map((attempt) => ({ job, attempt })));',
    ['replacements'],
  ),
  one(
    'a revert in a block that may be taken back ends an order',
    'examine-receipt.ts',
    `return 'effect' in shown ? chain.confirmations : chain.finality;`,
    'return chain.confirmations;',
  ),
  one(
    'an effect counts before its confirmations',
    'observe.ts',
    'if (deepAt > head.number) memory.notBefore.set(id, deepAt);\n    else examined',
    'examined',
  ),
  one(
    'what was confirmed is not looked at again',
    'finality.ts',
    'else if (standing !== undefined) gone.push(job);',
    'else if (standing !== undefined) placements.push({ job, txHash, blockNumber, blockHash, isFinal: true });',
    ['late ends', 'branches that revert', 'nodes on other branches', 'receipts of branches'],
  ),
  one(
    'an end is written whatever has become of the transaction',
    'store/end-transactions.ts',
    `where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))`,
    'where t.id = v.id',
    ['late ends', 'late statements'],
  ),
  one(
    'events are written beside the end, not with it',
    'store/end-transactions.ts',
    `    events,
    ...releases.map((dependency) => dependency.release(db, batchId, now)),
    noteLane(db, lane, note, now),
  ]);`,
    `    db.sql.execute(sql\`select 1\`),
    ...releases.map((dependency) => dependency.release(db, batchId, now)),
    noteLane(db, lane, note, now),
  ]);
  [results[results.length - 2 - releases.length]] = await runBatch(db, [events]);`,
  ),
  {
    name: 'orders are ended beside their transactions, not with them',
    edits: [
      {
        file: 'src/engine/store/end-transactions.ts',
        find: `  const results = await runBatch(db, [
    markEnded(db, batchId, endings, now),`,
        put: `  const results = await runBatch(db, [markEnded(db, batchId, endings, now)]);
  const others = await runBatch(db, [`,
      },
      {
        file: 'src/engine/store/end-transactions.ts',
        find: '  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a batch forgets the types of its statements; these come',
        put: `  results.push(...others);
  // oxlint-disable-next-line`,
      },
    ],
  },
  one(
    'a reopening changes what another driver has ended anew',
    'store/under-way.ts',
    `where t.id = v.id and t.version = v.version and t.state = 'confirmed' and not t.is_final`,
    'where t.id = v.id',
    ['late ends'],
  ),
  one(
    'a nonce that a transaction holds is handed out again',
    'intake.ts',
    'const nonces = freeNonces(first, state.held, prepared.ready.length);',
    'const nonces = freeNonces(first, new Set(), prepared.ready.length);',
  ),
  one(
    'gaps are not filled',
    'fill-gaps.ts',
    'if (!isGap || lowest === undefined) {',
    'if (lowest === undefined || isGap || head.readAt > 0) {',
    ['nonces taken, and taken back'],
  ),
  one(
    'what was sent is never sent again',
    'rescue.ts',
    'await send(context, state, memory, [...replaced, ...late]);',
    'await send(context, state, memory, replaced);',
    ['pools'],
  ),
  one(
    'an offer that is too low is not replaced',
    'rescue.ts',
    `...(await replaceAll(context, state, memory, dear, head, 'same')),`,
    '',
    ['replacements', 'pools'],
  ),
  one(
    'a replacement is signed for another nonce',
    'rescue.ts',
    '...target, nonce: job.transaction.nonce, offer }',
    '...target, nonce: job.transaction.nonce + 1, offer }',
    ['replacements', 'pools'],
  ),
  one(
    'a hash counts from a node that is on another branch',
    'chain-head.ts',
    'if (header?.number === number && top?.hash === head.hash) headers.push(header);',
    'if (header?.number === number && top !== undefined) headers.push(header);',
    ['receipts of branches', 'nodes on other branches', 'late ends'],
  ),
  one(
    'nobody looks whether a stranger has carried a reverted call out',
    'examine-receipt.ts',
    `  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt, ...foreign };`,
    '',
    ['copies'],
  ),
  one(
    "a stranger's transaction counts before its confirmations",
    'foreign-effect.ts',
    `if (depth < chain.confirmations) return 'later';`,
    '',
    ['copies'],
  ),
  one(
    "a secret that is not the wallet's key fails its orders",
    'prepare.ts',
    `    const reason = error instanceof SigningKeyError ? error.message`,
    `    if (error instanceof SigningKeyError) return { job, result: 'failed', reason: error.message };
    const reason = error instanceof SigningKeyError ? error.message`,
    ['accounts'],
  ),
];
