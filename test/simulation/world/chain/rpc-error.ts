import type { Hex } from 'viem';

/** An error as a node answers it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
