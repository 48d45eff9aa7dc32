import { contract } from '#core/contract/contract.ts'

export const selfservice = contract({
  area: 'selfservice',
  title: 'Self-service',
  screens: {
    portal: {
      path: '/self/portal',
      needs: 'selfServicePortal',
      title: 'Self-service',
      shell: 'self',
      also: 'my things, forgotten password, lost phone, lost card, help',
      menu: { group: 'home', entry: 'selfService' },
    },
    requestSmartcard: {
      path: '/self/requestSmartcard/:id',
      needs: 'selfServicePortal',
      title: 'Request a smartcard',
      shell: 'self',
      parent: 'portal',
    },
  },
})
