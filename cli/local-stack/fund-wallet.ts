import { type Address, createTestClient, http, parseEther, publicActions } from 'viem';

/** The balance that a wallet is given on each chain. */
const STARTING_BALANCE = parseEther('1000');
/** A wallet below this is topped up. */
const LOW_BALANCE = parseEther('1');

/** Tops up a wallet on local chains (anvil) where it has less than one coin. */
export async function fundWallet(walletAddress: Address, rpcUrls: readonly string[]): Promise<void> {
  await Promise.all(
    rpcUrls.map(async (rpcUrl) => {
      const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
      if ((await client.getBalance({ address: walletAddress })) >= LOW_BALANCE) return;
      await client.setBalance({ address: walletAddress, value: STARTING_BALANCE });
    }),
  );
}
