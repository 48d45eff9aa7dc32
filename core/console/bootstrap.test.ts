import { expect, test } from 'vitest'
import { noPermission, type ViewerPermission } from '#core/contract/permissions.ts'
import { bootstrapStore, refreshBootstrap, type Bootstrap } from './bootstrap.ts'

const start = (permission: unknown): Bootstrap => ({
  signedIn: true,
  viewer: {
    id: '1',
    username: 'ada',
    names: { givenName: 'Ada', familyName: 'Lovelace' },
    emailAddress: 'ada@example.org',
    permission: permission as ViewerPermission,
    tenantId: '1',
    tenantName: 'Acme',
    homeTenantId: '1',
    managed: [],
  },
  tenancy: { name: 'Acme', supportEmail: '', salesEmail: '' },
  version: '1',
  setupNeeded: false,
})

test.each([
  [
    'the menu',
    { View: ['audit'], activeMenu: [], api: ['audit'], roles: ['Auditor'], isManager: true },
    { View: ['audit'], api: ['audit'], roles: ['Auditor'], isManager: true },
  ],
  ['screens and calls', { Menu: ['audit'], View: null }, { Menu: ['audit'] }],
  ['all of it', undefined, {}],
])('where the answer says who is there and lacks %s of what they may, that is an empty list or false', async (_what, sent, meant) => {
  bootstrapStore.setState({ load: async () => start(sent) })
  expect((await refreshBootstrap()).viewer?.permission).toEqual({ ...noPermission, ...meant })
})
