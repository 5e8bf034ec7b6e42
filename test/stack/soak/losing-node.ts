import { z } from 'zod';
import { keccak256, type Hex } from 'viem';
import { readBody, sendJson, startHttpServer, type HttpServer } from '../../../stack/http-server.ts';

const callSchema = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const bodySchema = z.union([z.array(callSchema), callSchema]);
type Call = z.output<typeof callSchema>;

const BODY_LIMIT = 16 * 1024 * 1024;

/** A node that accepts every transaction and loses those that call one contract. */
export interface LosingNode extends HttpServer {
  /** From now on, transactions that call this contract are lost. */
  lose(contractAddress: string): void;
  /** From now on, none is lost. */
  recover(): void;
}

/** @param rpcUrl The node behind it. */
export async function startLosingNode(rpcUrl: string): Promise<LosingNode> {
  let target: string | undefined;
  const isLost = ({ method, params: [raw] }: Call) =>
    target !== undefined && method === 'eth_sendRawTransaction' && String(raw).includes(target);
  const server = await startHttpServer('Losing node', async (request, response) => {
    const body = bodySchema.parse(JSON.parse((await readBody(request, BODY_LIMIT)).toString()));
    const calls = Array.isArray(body) ? body : [body];
    const lost = calls
      .filter(isLost)
      .map(({ id, params: [raw] }) => ({ jsonrpc: '2.0', id, result: keccak256(String(raw) as Hex) }));
    const kept = calls.filter((call) => !isLost(call)).map((call) => ({ jsonrpc: '2.0', ...call }));
    if (!Array.isArray(body)) {
      sendJson(response, 200, lost[0] ?? (await forward(rpcUrl, kept[0])));
      return;
    }
    const answered = kept.length === 0 ? [] : await forward(rpcUrl, kept);
    sendJson(response, 200, [...(Array.isArray(answered) ? answered : [answered]), ...lost]);
  });
  return {
    ...server,
    lose: (contractAddress) => (target = contractAddress.toLowerCase().slice(2)),
    recover: () => (target = undefined),
  };
}

async function forward(rpcUrl: string, body: unknown): Promise<unknown> {
  const reply = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await reply.json();
}
