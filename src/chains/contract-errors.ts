import type { AbiItem } from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { selectorOf, type AbiParameterJson } from './abi-parameter.ts';

/** An error that a contract can revert with. */
export interface ContractError {
  readonly name: string;
  readonly inputs: readonly AbiParameterJson[];
}

/**
 * Selector -> error: Solidity's two built-in errors and those of every contract the service deploys. Used to decode
 * revert data.
 */
export const contractErrors: ReadonlyMap<string, ContractError> = new Map(
  [
    { name: 'Error', inputs: [{ type: 'string' }] },
    { name: 'Panic', inputs: [{ type: 'uint256' }] },
    ...[standard721, standard1155, certificate721, certificate1155, minimalForwarder]
      .flatMap(({ abi }) => abi as readonly AbiItem[])
      .filter((item) => item.type === 'error'),
  ].map((error) => [selectorOf(error), error]),
);

/**
 * What the errors of the contracts that the service deploys mean, OpenZeppelin's included, in words that follow the
 * error. Errors of settings that these contracts never reach have none.
 */
export const ERROR_MEANINGS: Readonly<Record<string, string>> = {
  CertificateAlreadyIssued: 'the certificate exists already',
  CertificateApprovalBlocked: 'a certificate cannot be transferred, so nobody can be approved to transfer it',
  CertificateBurnBlocked: 'the contract was deployed so that holders cannot burn its certificates',
  CertificateHashZero: 'a certificate needs the hash of its document',
  CertificateNonTransferable: 'a certificate cannot be transferred',
  CertificateNonexistent: 'no unit of this certificate exists: it was never minted, or all are burned',
  CertificateRecordMismatch: 'the certificate was minted before with another document: its URI and hash never change',
  CertificateRevocationBlocked: 'the contract was deployed so that its issuer cannot revoke certificates',
  CertificateURIEmpty: 'a certificate needs the URI of its document',
  ERC1155InsufficientBalance: 'the holder has fewer tokens than are needed',
  ERC1155InvalidArrayLength: 'the lists of ids and of amounts differ in length',
  ERC1155InvalidReceiver: 'the receiver is a contract that does not accept tokens',
  ERC1155InvalidSender: 'tokens cannot come from the zero address',
  ERC1155MissingApprovalForAll: 'the caller is neither the holder nor approved by the holder',
  ERC2981InvalidDefaultRoyalty: 'the royalty is more than the whole price',
  ERC2981InvalidDefaultRoyaltyReceiver: 'royalties need a receiver other than the zero address',
  ERC721IncorrectOwner: 'the token has another holder by now',
  ERC721InsufficientApproval: 'the caller is neither the holder nor approved by the holder',
  ERC721InvalidReceiver: 'the receiver is a contract that does not accept tokens',
  ERC721InvalidSender: 'the token exists already',
  ERC721NonexistentToken: 'there is no such token: it was never minted, or it is burned',
  ForwarderInsufficientGas: 'the gas that is left is less than was signed for the call',
  ForwarderInvalidNonce: 'the nonce is not the next one of the signer: another request was executed first',
  ForwarderInvalidSignature: 'the signature is not that of the signer for this request, chain and forwarder',
  ForwarderRefundFailed: 'the call failed, and the sender does not take its coins back',
  ForwarderUntrustedTarget: 'the contract does not trust this forwarder',
  ForwarderValueMismatch: 'the coins that were sent are not those of the request',
  IssuanceBatchTooLong: 'a batch has at most 256 items',
  IssuanceEmptyBatch: 'there is nothing to mint',
  IssuanceZeroAmount: 'the amount is zero',
  OwnableInvalidOwner: 'this account cannot own the contract',
  OwnableUnauthorizedAccount: 'this account is not the owner of the contract',
};
