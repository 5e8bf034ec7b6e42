import { createInterface } from 'node:readline';

const { NFT_URL, GATE_KEY } = process.env;

/**
 * The Idempotency-Key of each ticket whose use is undecided. It stays the same, so that a use whose reply was lost is
 * not a second one.
 */
const undecided = new Map();

/** Uses a ticket. @returns the reply: its HTTP status and its body. */
async function use(code) {
  const scan = undecided.get(code) ?? crypto.randomUUID();
  undecided.set(code, scan);
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    try {
      const reply = await fetch(`${NFT_URL.replace(/\/+$/, '')}/metadata/${encodeURIComponent(code)}/status`, {
        method: 'POST',
        headers: { 'x-api-key': GATE_KEY, 'content-type': 'application/json', 'idempotency-key': scan },
        body: JSON.stringify({ status: 'Used', expected: 'Unused' }),
        signal: AbortSignal.timeout(5_000),
      });
      const body = await reply.json();
      if (reply.status < 500 && reply.status !== 429) {
        undecided.delete(code);
        return { status: reply.status, body };
      }
    } catch {
      // There was no reply, or no JSON: a proxy may have sent it.
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { status: 0, body: { message: 'No answer: show the ticket again' } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const code = line.trim();
  if (code === '') continue;
  const { status, body } = await use(code);
  if (status === 200) console.log(`OPEN ${code}`);
  else console.log(`STOP ${body.currentStatus ?? body.message}`);
}
