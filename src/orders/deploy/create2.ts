import { concat, getContractAddress, padHex, slice } from 'viem';
import type { Address, Hex } from 'viem';
import { lowerCase } from '../../core/lower-case.ts';

/**
 * The deterministic deployment proxy, which stands at this address on every chain (anvil included). Called with a salt
 * and creation code, it creates the contract with CREATE2.
 */
export const DEPLOYMENT_PROXY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/**
 * The salt of a record's contract: the record's id. It makes the address one of its own among all records on all chains
 * (plain CREATE gives one wallet's n-th contract the same address on every chain, and the public metadata path has no
 * chain in it), known before the deployment, and the chain itself refuses to deploy a record twice.
 */
export function saltOf(recordId: string): Hex {
  return padHex(`0x${recordId}`, { size: 32 });
}

/** Where {@link DEPLOYMENT_PROXY} puts the contract; lower case. */
export function create2Address(salt: Hex, code: Hex): Address {
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
