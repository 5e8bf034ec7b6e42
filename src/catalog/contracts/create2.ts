import { concat, getContractAddress, padHex, slice, type Address, type Hex } from 'viem';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';

/**
 * The deterministic deployment proxy, at the same address on every chain (including anvil). Called with a salt and
 * creation code, it creates the contract with CREATE2.
 */
export const DEPLOYMENT_PROXY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/**
 * The salt of a record's contract: the record's id. It makes the address unique among all records on all chains (with
 * plain CREATE, a wallet's n-th contract has the same address on every chain, and the public metadata path contains no
 * chain id) and known before the deployment, and the chain itself rejects a second deployment of a record.
 */
export function saltOf(recordId: string): Hex {
  return padHex(`0x${recordId}`, { size: 32 });
}

/** The address at which {@link DEPLOYMENT_PROXY} creates the contract. */
export function create2Address(salt: Hex, code: Hex): LowerCaseAddress {
  return lowerCase(getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt, bytecode: code }));
}

/** Calldata for {@link DEPLOYMENT_PROXY}. */
export function create2Call(salt: Hex, code: Hex): Hex {
  return concat([salt, code]);
}

/** The creation code in the calldata of {@link create2Call}. */
export function codeOfCreate2Call(calldata: Hex): Hex {
  return slice(calldata, 32);
}
