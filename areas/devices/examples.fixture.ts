import type { ScreenExample } from '#core/testing/examples.ts'
import { devices } from './contract.ts'

const newOne: ScreenExample = async (administrator) => {
  const { id } = await administrator.call(devices.calls.add, {
    name: `Example ${crypto.randomUUID()}`,
    type: 'Server',
    hostname: 'server.example.org',
    identifiers: [{ kind: 'serial', value: 'EX-1' }],
    endpoints: [{ address: '10.1.2.3', port: 443, serverName: 'server.example.org' }],
  })
  return { id }
}

export const examples = { view: newOne, edit: newOne, clone: newOne }
