import { z } from 'zod';
import {
  forwardRequestTypes,
  forwarderDomain,
  type ForwardRequest,
  type VerifyingContract,
} from './forward-request.ts';
import { addressReply } from '../core/reply-fields.ts';

const quantity = (description: string, example: string) =>
  z.string().meta({ description, example, pattern: String.raw`^\d+$` });

/** A forward request as typed data; numbers as strings. Specification, POST /transfer/signature. */
export const requestReplyFields = {
  domain: z
    .object({
      name: z.literal('MinimalForwarder').meta({ description: 'Name of the forwarder' }),
      version: z.literal('1.0').meta({ description: 'Version of the forwarder' }),
      chainId: z.int().meta({ description: 'Chain id', example: 1 }),
      verifyingContract: addressReply.meta({ description: 'Address of the forwarder' }),
    })
    .meta({ description: 'EIP-712 domain' }),
  types: z
    .object({
      ForwardRequest: z
        .array(
          z.object({
            name: z.string().meta({ description: 'Name of the field', example: 'from' }),
            type: z.string().meta({ description: 'Solidity type of the field', example: 'address' }),
          }),
        )
        .meta({ description: 'Fields of the request, in order' }),
    })
    .meta({ description: 'EIP-712 types' }),
  request: z
    .object({
      from: addressReply.meta({ description: 'Signer' }),
      to: addressReply.meta({ description: 'Contract that the forwarder calls' }),
      value: quantity('Coins sent along, in wei', '0'),
      gas: quantity('Units of gas for the call: the `gasLimit` of the signed request', '500000'),
      nonce: quantity("The signer's nonce at the forwarder: the `forwarderNonce` of the signed request", '0'),
      data: z.string().meta({
        description: 'Calldata, in hex; the deadline follows it if there is one',
        example: '0x42842e0e',
        pattern: '^0x([0-9a-f]{2})*$',
      }),
    })
    .meta({ description: 'The message to sign, in EIP-712 form' }),
};

/** @param forwarder Its address in the letter case to show. */
export function requestReply(forwarder: VerifyingContract, { from, to, value, gas, nonce, data }: ForwardRequest) {
  return {
    domain: forwarderDomain(forwarder),
    types: { ForwardRequest: [...forwardRequestTypes.ForwardRequest] },
    request: { from, to, value: value.toString(), gas: gas.toString(), nonce: nonce.toString(), data },
  };
}
