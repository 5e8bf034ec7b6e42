import { startFarStack, type Measurement, type PartnerRequest } from './far-stack.ts';
import { partnerRequests } from './partner-requests.ts';
import { fetchDocument, readRequests, seededValues } from './read-requests.ts';
import { commandLine } from '../cli/command-line.ts';

const USAGE = `npm run bench:far [-- --distance MS] [--samples N] [--json]

What partners wait for when the service is far from its database and its nodes: of each request that they make, the median, and how often it
goes to the database and to nodes. Requests are made one at a time, to an idle service that knows the account and must read
the key again.
  --distance  milliseconds of each round trip (default 100)
  --samples   of each request (default 5)
  --json      print JSON
Example:
  npm run -s bench:far -- --distance 40 --samples 9 --json`;

const { values } = commandLine(USAGE, {
  distance: { type: 'string', default: '100' },
  samples: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
});
const DISTANCE = Number(values.distance);
const SAMPLES = Number(values.samples);

type Figures = Omit<Measurement, 'trips'> & { readonly name: string };

/** Of several measurements of a request: the median of each number. */
async function measure(name: string, prepare: () => PartnerRequest | Promise<PartnerRequest>): Promise<Figures> {
  const measured: Measurement[] = [];
  while (measured.length < SAMPLES) measured.push(await stack.measure(await prepare()));
  const median = (of: (one: Measurement) => number) =>
    measured.map(of).toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? 0;
  return {
    name,
    milliseconds: Math.round(median(({ milliseconds }) => milliseconds)),
    database: median(({ database }) => database),
    statements: median(({ statements }) => statements),
    inARow: median(({ inARow }) => inARow),
    nodes: median(({ nodes }) => nodes),
    nodeCalls: median(({ nodeCalls }) => nodeCalls),
  };
}

const HEADER = `| ${DISTANCE} ms from database and nodes | p50 in ms | times the distance | database | statements | in a row | nodes | calls |
| --- | --- | --- | --- | --- | --- | --- | --- |`;

function rowOf({ name, milliseconds, database, statements, inARow, nodes, nodeCalls }: Figures): string {
  const times = (milliseconds / DISTANCE).toFixed(1);
  return `| ${name} | ${milliseconds} | ${times} | ${database} | ${statements} | ${inARow} | ${nodes} | ${nodeCalls} |`;
}

const stack = await startFarStack(DISTANCE);
try {
  const figures: Figures[] = [];
  if (!values.json) console.log(HEADER);
  const add = async (...request: Parameters<typeof measure>) => {
    const measured = await measure(...request);
    figures.push(measured);
    if (!values.json) console.log(rowOf(measured));
  };
  for (const [name, prepare] of Object.entries(await partnerRequests(stack.api))) await add(name, prepare);
  await stack.createImport();
  const records = await seededValues(stack.databaseUrl, stack.accountId);
  for (const { operationId, filter, path } of readRequests(await fetchDocument(stack.baseUrl), records, true)) {
    // An approval takes a second person to have been asked.
    const isMeasured = filter === '' && !/^\/(?:admin|status)\b/.test(path) && operationId !== 'getApproval';
    if (isMeasured) await add(operationId, () => ({ method: 'GET', path, mayBeAbsent: true }));
  }
  if (values.json) console.log(JSON.stringify({ distance: DISTANCE, samples: SAMPLES, requests: figures }, null, 2));
} finally {
  await stack.stop();
}
process.exit();
