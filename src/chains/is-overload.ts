/** An error object of JSON-RPC. */
interface RpcError {
  readonly message: string;
  readonly code?: number | undefined;
  readonly data?: unknown;
}

/** Whether the provider's rate limit was hit, which says nothing about the call. The words of a revert are the contract's. */
export function isOverload({ message, code, data }: RpcError): boolean {
  if (code === 3 || data !== undefined || /^execution reverted/i.test(message)) return false;
  return code === 429 || code === -32_005 || /rate limit|too many requests|limit exceeded|capacity/i.test(message);
}
