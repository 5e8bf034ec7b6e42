import { recordServiceReply } from './reply-recorder.ts';
import { ownErrorsWith } from './service-errors.ts';

/** Records every reply of the service that a test gets. The service's replies have a request id. */
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const reply = await send(input, init);
  const requestId = reply.headers.get('x-request-id');
  if (requestId === null) return reply;
  ownErrorsWith(requestId);
  const bytes = await reply.arrayBuffer();
  const url = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const { status, statusText, headers } = reply;
  const text = Buffer.from(bytes).toString();
  recordServiceReply({ method, path: `${url.pathname}${url.search}`, body: init?.body }, { status, headers, text });
  const isEmpty = bytes.byteLength === 0;
  const copy = new Response(isEmpty ? null : bytes, { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: reply.url });
  return copy;
};
