import type { ScreenExample } from '#core/testing/examples.ts'
import { directories } from './contract.ts'
import { defaultFilter, defaultMapping } from './mapping.ts'

const newOne: ScreenExample = async (administrator) => {
  const { id } = await administrator.call(directories.calls.add, {
    name: `Directory ${crypto.randomUUID().slice(0, 8)}`,
    kind: 'ldap',
    // Of example.org: judged when it is saved, and not connected to.
    host: '93.184.215.14',
    port: 636,
    security: 'ldaps',
    bindDn: 'cn=reader,dc=example',
    password: 'not a secret',
    baseDn: 'dc=example',
    filter: defaultFilter.ldap,
    mapping: defaultMapping.ldap,
  })
  return { id }
}

/** A plan needs a directory that answers, which an example has not: its page says that there is no such plan. */
const noPlan: ScreenExample = () => Promise.resolve({ id: 'none' })

export const examples = { edit: newOne, plan: noPlan }
