import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Instant, Line } from '#core/contract/shapes.ts'

const PlainValue = z.union([z.string(), z.number(), z.boolean()])

const Value = z.object({
  key: z.string(),
  label: z.string(),
  hint: z.string(),
  kind: z.enum(['number', 'text', 'switch', 'secret']),
  /** Never of a secret. */
  value: PlainValue.optional(),
  initial: PlainValue.optional(),
  /** When somebody set it; absent where it is as it was at first. */
  setAt: Instant.optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  unit: z.string().optional(),
})

const Facts = z.array(z.object({ name: z.string(), value: z.string(), setBy: z.string().optional() }))

const Address = z.object({ purpose: z.string(), name: z.string(), address: z.string() })

export const configuration = contract({
  area: 'configuration',
  title: 'Configuration',
  screens: {
    values: {
      path: '/config/tenancy/kvdata',
      needs: 'tenancyConfig',
      title: 'Keys and values',
      also: 'key values, limits, request size, secrets',
      menu: { group: 'settings', entry: 'tenancy', tab: 'Keys and values', place: 15 },
    },
    infrastructure: {
      path: '/config/infrastructure',
      needs: 'infrastructureConfig',
      title: 'Infrastructure',
      also: 'network, firewall, addresses, ports, outgoing connections',
      menu: { group: 'settings', entry: 'tenancy', tab: 'Infrastructure', place: 17 },
    },
    installation: {
      path: '/config/chancery/:tab?',
      needs: 'infrastructureConfig',
      title: 'Installation',
      also: 'server, version, environment, outgoing connections',
      menu: {
        group: 'settings',
        entry: 'installation',
        tab: 'General',
        place: 10,
        management: true,
        more: [
          { tab: 'Outgoing connections', params: { tab: 'outward' } },
          { tab: 'Mail and keys', params: { tab: 'keys' } },
        ],
      },
    },
  },
  calls: {
    values: {
      does: 'Answers the keys that a tenancy can set, each with its kind, its value and what it is at first. Secrets have no value here.',
      method: 'GET',
      path: '/api2/IDM-v1/TenancyKeyValues',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({ values: z.array(Value) }),
    },
    change: {
      does: 'Sets the value of one key, or takes it back to what it is at first where no value comes; answers nothing.',
      title: 'Change a value of the tenancy',
      method: 'PUT',
      path: '/api2/IDM-v1/TenancyKeyValues',
      needs: 'tenancyConfig',
      bodyLimit: 32 * 1024,
      input: z.object({ key: Line(80), value: PlainValue.optional() }),
      output: z.object({}),
      done: 'The value was saved',
      failed: 'The value was not saved',
      faults: { unknownKey: { status: 400, says: 'There is no such key', field: 'key' } },
    },
    infrastructure: {
      does: 'Answers the addresses at which the tenancy is reached, and those that this server connects to for it.',
      method: 'GET',
      path: '/api2/IDM-v1/InfrastructureConfig',
      needs: 'infrastructureConfig',
      input: z.object({}),
      output: z.object({ incoming: z.array(Address), outgoing: z.array(Address) }),
    },
    installation: {
      does: 'Answers how the installation is set up, without its secrets; in the management tenancy only.',
      method: 'GET',
      path: '/api2/IDM-v1/InstallationConfig',
      needs: 'infrastructureConfig',
      input: z.object({}),
      output: z.object({ general: Facts, outward: Facts, keys: Facts }),
      faults: {
        notYours: { status: 403, says: 'The installation is shown to people of its management tenancy only' },
      },
    },
  },
  events: {
    changed: {
      says: 'Changed a value of the tenancy',
      /** The value of a secret is in no event. */
      body: z.object({ key: z.string(), value: z.string().optional(), reset: z.boolean() }),
    },
  },
})
