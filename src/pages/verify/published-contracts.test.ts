import { keccak256, size } from 'viem/utils';
import { expect, it } from 'vitest';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { CERTIFICATE_CONTRACTS, FORWARDERS } from './published-contracts.ts';

it.each([
  ...[certificate721, certificate1155].map((artifact) => [artifact, CERTIFICATE_CONTRACTS] as const),
  [minimalForwarder, FORWARDERS] as const,
])('has the code that is deployed now, beside that of former versions', ({ contractName, bytecode }, published) => {
  expect(published).toContainEqual({ name: contractName, bytes: size(bytecode), hash: keccak256(bytecode) });
});
