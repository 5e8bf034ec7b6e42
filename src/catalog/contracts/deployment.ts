/** The name of the order kind that deploys contracts. */
export const DEPLOYMENT = 'deploy';

/** The deployment of a contract: what every order of the contract builds on. */
export function deploymentOf(contractId: string): { readonly kind: string; readonly orderId: string } {
  return { kind: DEPLOYMENT, orderId: contractId };
}
