import { z } from 'zod';
import type { Address } from 'viem';
import { forwardRequestTypes, forwarderDomain } from './forward-request.ts';
import type { ForwardRequest } from './forward-request.ts';

/** A forward request as typed data; numbers as strings. Specification, POST /transfer/signature. */
export const requestReplyFields = {
  domain: z.object({
    name: z.literal('MinimalForwarder'),
    version: z.literal('1.0'),
    chainId: z.int(),
    verifyingContract: z.string(),
  }),
  types: z.object({ ForwardRequest: z.array(z.object({ name: z.string(), type: z.string() })) }),
  request: z.object({
    from: z.string(),
    to: z.string(),
    value: z.string(),
    gas: z.string(),
    nonce: z.string(),
    data: z.string(),
  }),
};

/** @param forwarder The forwarder's chain, and its address in the letter case to show. */
export function requestReply(
  forwarder: { readonly chainId: string; readonly address: Address },
  { from, to, value, gas, nonce, data }: ForwardRequest,
) {
  return {
    domain: forwarderDomain(forwarder),
    types: { ForwardRequest: [...forwardRequestTypes.ForwardRequest] },
    request: { from, to, value: value.toString(), gas: gas.toString(), nonce: nonce.toString(), data },
  };
}
