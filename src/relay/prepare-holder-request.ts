import type { z } from 'zod';
import { requireAllowedChain } from '../chains/allowed-chain.ts';
import { invalidInput } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import type { HolderDraft } from './accept-holder-request.ts';
import { checkHolding } from './check-holding.ts';
import { deadlineIssues } from './deadline.ts';
import type { Holding } from '../chains/token-transfer.ts';
import {
  choosePreparation,
  prepareRequest,
  type PreparationInput,
  type preparedRequestSchema,
} from './prepare-request.ts';
import { readRelayRecords, type RelayRecords } from './relay-records.store.ts';

/**
 * The typed data of a request about a holder's tokens, for the holder to sign. Apart from the account's limits, what
 * accepting it would refuse now is refused here already.
 * @param draftOf What the fields say.
 * @throws {DomainError} `invalid` with every issue, or with the contract's error if the call would revert; `upstream`
 *   if the chain does not answer.
 */
export async function prepareHolderRequest(
  services: TenantServices,
  input: PreparationInput,
  draftOf: (records: RelayRecords) => HolderDraft<Holding>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const late = () => deadlineIssues(input.deadline, services.clock.now());
  const chain = requireAllowedChain(services.chains, input.chainId, late);
  const records = await readRelayRecords(services.db, input);
  const { issues: draftIssues, draft, call } = draftOf(records);
  const [holdingIssues, { issues, preparation }] = await Promise.all([
    draft === undefined ? [] : checkHolding(chain, draft),
    choosePreparation(services, chain, input, records),
  ]);
  const noContract = issues.some(({ path }) => path === 'contractAddress');
  const all = [...draftIssues, ...issues, ...(noContract ? [] : holdingIssues)];
  if (all.length > 0 || call === undefined || preparation === undefined) throw invalidInput(all);
  return await prepareRequest(services, chain, input, preparation, call);
}
