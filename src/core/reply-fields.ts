import { z } from 'zod';

/** Fields of replies that many schemas share. Replies are not validated, so the patterns are only described. */

export const addressReply = z.string().meta({
  description: '20 bytes in hex',
  example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  pattern: '^0x[0-9a-fA-F]{40}$',
});

export const contractAddressReply = z.string().meta({
  description: 'Address of the contract, in lower case',
  example: '0x8ba1f109551bd432803012645ac136ddd64dba72',
  pattern: '^0x[0-9a-f]{40}$',
});

export const chainIdReply = z
  .string()
  .meta({ description: 'Chain id, decimal', example: '1', pattern: String.raw`^[1-9]\d{0,15}$` });

export const tokenIdReply = z.string().meta({
  description: 'Token id: a 256-bit number, decimal',
  example: '1',
  pattern: String.raw`^(0|[1-9]\d{0,77})$`,
});

export const unitsReply = z.string().meta({
  description: 'Number of tokens, decimal; 1 for ERC-721',
  example: '1',
  pattern: String.raw`^\d+$`,
});

export const txHashReply = z.string().meta({
  description: 'Transaction hash, in lower case; null until it is mined',
  example: `0x${'5e'.repeat(32)}`,
  pattern: '^0x[0-9a-f]{64}$',
});

export const gasUsedReply = z
  .string()
  .meta({ description: 'Units of gas; null until it is mined', example: '91234', pattern: String.raw`^\d+$` });

export const coinsReply = z.string().meta({
  description: "The chain's native coin, decimal",
  example: '0.001523',
  pattern: String.raw`^\d+(\.\d{1,18})?$`,
});

export const corporateIdReply = z
  .string()
  .meta({ description: 'The corporateId of the account', example: 'b3a1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d' });

export const corporateNameReply = z
  .string()
  .meta({ description: 'The name of the account', example: 'Example Watches' });
