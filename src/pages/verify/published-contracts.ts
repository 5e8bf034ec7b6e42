import type { Hex } from 'viem';

/** A contract whose creation code is published (docs/contracts.md). */
export interface PublishedContract {
  readonly name: string;
  /** Of its creation code, to which constructor arguments are appended. */
  readonly bytes: number;
  /** The keccak256 of its creation code. */
  readonly hash: Hex;
}

/** Contracts keep the code that they were deployed with, so those of former versions stay in these lists. */
export const CERTIFICATE_CONTRACTS: readonly PublishedContract[] = [
  {
    name: 'Certificate721',
    bytes: 11_252,
    hash: '0x501406b7cac12d178ddc232f895562f43dd985fd7f468ace7f07b0bb82851b2d',
  },
  {
    name: 'Certificate1155',
    bytes: 12_480,
    hash: '0xa488b2da4925d86b11a9dfbc90272441e0af0e935e13d9cb970ea00f76edaec1',
  },
];
export const FORWARDERS: readonly PublishedContract[] = [
  {
    name: 'MinimalForwarder',
    bytes: 3_574,
    hash: '0x22ca6b3ecb410209abb617a43b173e695f6c81280dac2c21990248acdb70453f',
  },
];
