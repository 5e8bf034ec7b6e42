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
}

const one = (name: string, file: string, find: string, put: string): Mutant => ({
  name,
  edits: [{ file: `src/engine/${file}`, find, put }],
});

/** Every guard of the engine, and of the events, that the simulation must miss at once when it is gone. */
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
    for (const id of stored.deliveryIds)`,
    `      state.isOutdated = true;
    }
    for (const id of stored?.deliveryIds ?? [])`,
  ),
  one(
    'attempts are stored whatever has become of the transaction',
    'store/store-attempts.ts',
    'where t.id = v.id and t.version = v.version and t.state = ${from} ${holdsNonce}',
    'where t.id = v.id ${holdsNonce}',
  ),
  one(
    'attempts are stored without a look at the version',
    'store/store-attempts.ts',
    'where t.id = v.id and t.version = v.version and t.state = ${from} ${holdsNonce}',
    'where t.id = v.id and t.state = ${from} ${holdsNonce}',
  ),
  one(
    'a chunk is stored in part',
    'store/store-attempts.ts',
    'select 1 / (case when count(*) = ${values.length}::int then 1 else 0 end) as stored from changed',
    'select 1 as stored from changed',
  ),
  one(
    'a nonce is given up without a guard, as in the first engine',
    'store/waiting.ts',
    `        eq(transactions.version, transaction.version),
        eq(transactions.state, 'signed'),
        eq(transactions.nonce, transaction.nonce),`,
    '',
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
  ),
  one(
    'the search for who took a nonce ends at a block that may be gone',
    'looks.ts',
    'to: used.length === 0 || finality > 1 ? undefined',
    'to: used.length === 0 ? undefined',
  ),
  one('a receipt counts by its place in the reply', 'receipts.ts', `field('transactionHash') !== hash || `, ''),
  one(
    'a receipt counts whatever block stands at its height',
    'receipts.ts',
    'const standing = named.filter(({ receipt }) => hashes.get(receipt.blockNumber) === receipt.blockHash);',
    'const standing = named;',
  ),
  one(
    'only the newest attempt is looked for',
    'receipts.ts',
    'const asked = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));',
    'const asked = jobs.flatMap((job) => job.attempts.slice(-1).map((attempt) => ({ job, attempt })));',
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
  ),
  one(
    'an end is written whatever has become of the transaction',
    'store/end-transactions.ts',
    `where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))`,
    'where t.id = v.id',
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
  one(
    'a sending is told beside the attempt, not with it',
    'store/store-attempts.ts',
    'const results = await runBatch(db, [statement, ...notices, noteLane(db, lane, note, now)]);',
    `const results = await runBatch(db, [statement, noteLane(db, lane, note, now)]);
    results.splice(1, 0, ...(await runBatch(db, notices)));`,
  ),
  {
    name: 'an endpoint gets events that it does not ask for',
    edits: [
      {
        file: 'src/webhooks/events.store.ts',
        find: "const types = what === 'ends' ? sql`(p.event_types is null or ${named})` : named;",
        put: 'const types = sql`(p.event_types is null or ${named})`;',
      },
    ],
  },
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
  ),
  one(
    'what was sent is never sent again',
    'rescue.ts',
    'await send(context, state, memory, [...replaced, ...late]);',
    'await send(context, state, memory, replaced);',
  ),
  one(
    'an offer that is too low is not replaced',
    'rescue.ts',
    `...(await replaceAll(context, state, memory, dear, head, 'same')),`,
    '',
  ),
  one(
    'a replacement is signed for another nonce',
    'rescue.ts',
    '...target, nonce: job.transaction.nonce, offer }',
    '...target, nonce: job.transaction.nonce + 1, offer }',
  ),
];
