import { isAddress } from 'viem';
import { tokenIdField } from '../../core/fields.ts';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';

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
): { readonly contractAddress: LowerCaseAddress; readonly tokenId: string } | undefined {
  const [id, ...others] = tokenIdsOf(tokenId);
  const address = contractAddress.toLowerCase();
  return id === undefined || others.length > 0 || !isAddress(address)
    ? undefined
    : { contractAddress: lowerCase(address), tokenId: id };
}
