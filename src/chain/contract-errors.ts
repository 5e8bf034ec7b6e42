import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import type { AbiItem } from 'viem';

/** The errors of every contract the service deploys, to name the one that a revert's bytes stand for. */
export const contractErrors = [standard721, standard1155, certificate721, certificate1155, minimalForwarder]
  .flatMap(({ abi }) => abi as readonly AbiItem[])
  .filter((item) => item.type === 'error');
