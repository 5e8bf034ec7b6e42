import type { PrivateKeyAccount } from 'viem/accounts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { type EphemeralChain, startEphemeralChain } from '../../../scripts/contracts/ephemeral-chain.ts';
import { compileFixtures } from './fixtures.ts';
import type { Forwarder } from './forward-request.ts';

/** A chain with a forwarder, contracts that receive tokens, and accounts to issue and hold them. */
export interface TokenHolders {
  readonly chain: EphemeralChain;
  readonly fixture: ReturnType<typeof compileFixtures>;
  readonly forwarder: Forwarder;
  readonly issuer: PrivateKeyAccount;
  readonly alice: PrivateKeyAccount;
  readonly bob: PrivateKeyAccount;
  readonly outsider: PrivateKeyAccount;
}

export async function startTokenHolders(): Promise<TokenHolders> {
  const chain = await startEphemeralChain();
  return {
    chain,
    fixture: compileFixtures('Receivers.sol'),
    forwarder: await chain.deploy(minimalForwarder, []),
    issuer: await chain.account('issuer'),
    alice: await chain.account('alice'),
    bob: await chain.account('bob'),
    outsider: await chain.account('outsider'),
  };
}
