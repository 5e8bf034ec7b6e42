import { type Address, createTestClient, http, parseEther, publicActions } from 'viem';

/** What a wallet of the local stack starts with on each chain, in coins. */
const STARTING_BALANCE = parseEther('1000');
/** A wallet with less than this is given the starting balance. */
const LOW_BALANCE = parseEther('1');

/** Gives a wallet coins on local chains (anvil), where it has less than one. */
export async function fundWallet(walletAddress: Address, rpcUrls: readonly string[]): Promise<void> {
  await Promise.all(
    rpcUrls.map(async (rpcUrl) => {
      const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
      if ((await client.getBalance({ address: walletAddress })) >= LOW_BALANCE) return;
      await client.setBalance({ address: walletAddress, value: STARTING_BALANCE });
    }),
  );
}
