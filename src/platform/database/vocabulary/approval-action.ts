/**
 * What a second person decides on, by its stored name and the API's: an order, or the end of the setting that orders
 * need approval.
 */
export const APPROVAL_ACTIONS = {
  'transfer-ownership': 'TRANSFER_OWNERSHIP',
  'deploy-forwarder': 'DEPLOY_FORWARDER',
  'deploy-contract': 'DEPLOY_CONTRACT',
  'switch-off': 'SWITCH_OFF_APPROVALS',
} as const;

export type ApprovalAction = keyof typeof APPROVAL_ACTIONS;
