import { isAddress, type Address } from 'viem';
import { tokenIdField } from '../../core/fields.ts';

/** The `{id}` of an ERC-1155 `uri`: the token id as 64 hex digits. */
const TOKEN_ID_HEX = /^[0-9a-f]{64}$/i;

/**
 * The token ids, in decimal, that the last segment of a public document's path can mean: decimal without leading zeros,
 * or 64 hex digits. 64 decimal digits are valid in both forms: the id in decimal comes first.
 */
export function tokenIdsOf(text: string): string[] {
  const decimal = tokenIdField.safeParse(text);
  return [
    ...(decimal.success ? [decimal.data] : []),
    ...(TOKEN_ID_HEX.test(text) ? [BigInt(`0x${text}`).toString()] : []),
  ];
}

/** The one token that a path means, as documents are found by; undefined if it can mean none or two. */
export function tokenOf(
  contractAddress: string,
  tokenId: string,
): { readonly contractAddress: Address; readonly tokenId: string } | undefined {
  const [id, ...others] = tokenIdsOf(tokenId);
  const address = contractAddress.toLowerCase();
  return id === undefined || others.length > 0 || !isAddress(address)
    ? undefined
    : { contractAddress: address, tokenId: id };
}
