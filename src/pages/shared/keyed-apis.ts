import { ApiError, ServiceApi } from './service-api.ts';

/** The API with a key of an account: who signed in on one page of a tab is signed in on its others. */
export const accountApi = new ServiceApi('account-key', 'x-api-key');

/** The API with the operator's key. */
export const operatorApi = new ServiceApi('admin-key', 'x-admin-secret-key');

/** Throws if the key of the account is not accepted. One that may not read limits is a key all the same. */
export async function tryAccountKey(): Promise<void> {
  try {
    await accountApi.get('/limits');
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'scope_missing') throw error;
  }
}

/** Throws if the operator's key is not accepted. */
export async function tryOperatorKey(): Promise<void> {
  await operatorApi.get('/admin/webhooks');
}
