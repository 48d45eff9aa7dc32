import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { Colour } from './rules.ts'
import { longestPattern } from './username-pattern.ts'

export const TenancyConfig = z.object({
  name: Line(100),
  bannerColour: Colour,
  supportEmail: z.union([z.literal(''), z.email('Enter an e-mail address')]).default(''),
  disclaimer: Paragraph(4000).default(''),
  /** Milliseconds a toast stays, as typed: anything that is not a number leaves the default. */
  toastTimeout: OptionalLine(10),
  timeZone: Line(60).default('UTC'),
  /** What usernames must fit besides, and what is said of one that does not; empty for none. */
  usernamePattern: OptionalLine(longestPattern),
  usernameMessage: OptionalLine(200),
  /** Whether people must have set secret questions before a smartcard is issued to them. */
  cmsRequireSelfServiceSecretQuestionsSet: z.boolean().default(false),
})

export const TenancyRow = z.object({
  id: Id,
  name: z.string(),
  kind: z.enum(['management', 'tenant']),
  bannerColour: z.string(),
  createdAt: Instant,
  /** Where somebody deleted it: when it is removed with all it holds. */
  endsAt: Instant.optional(),
  /** Whether that has begun, so that it cannot be kept any more. */
  removing: z.boolean(),
})

export const tenancy = contract({
  area: 'tenancy',
  title: 'Tenancies',
  screens: {
    config: {
      path: '/config/tenancy',
      needs: 'tenancyConfig',
      title: 'Tenancy',
      also: 'name, logo, colour, branding, support address',
      menu: { group: 'settings', entry: 'tenancy', tab: 'This tenancy', place: 10 },
    },
    list: {
      path: '/config/tenancy/managed',
      needs: 'tenancyConfig',
      title: 'Managed tenancies',
      menu: { group: 'settings', entry: 'tenancy', tab: 'Managed tenancies', place: 20, management: true },
    },
  },
  calls: {
    read: {
      does: 'Answers the settings of the tenancy: its name, colour, support address, disclaimer and time zone.',
      method: 'GET',
      path: '/api2/IDM-v1/TenancyConfig',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: TenancyConfig.extend({ id: Id, kind: z.enum(['management', 'tenant']) }),
    },
    change: {
      does: 'Replaces the settings of the tenancy; answers nothing.',
      title: 'Change the tenancy settings',
      method: 'PUT',
      path: '/api2/IDM-v1/TenancyConfig',
      needs: 'tenancyConfig',
      input: TenancyConfig,
      output: z.object({}),
      done: 'Tenancy settings saved',
      failed: 'The tenancy settings were not saved',
      faults: { nameTaken: { status: 409, says: 'A tenancy with this name exists', field: 'name', constraint: 'tenancies_by_name' } },
    },
    managed: {
      does: 'Lists the tenancies that this one manages, a page at a time.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchTenancies',
      needs: 'tenancyConfig',
      reads: true,
      input: PageQuery.extend({ sort: sortedBy('name') }),
      output: pageOf(TenancyRow),
    },
  },
  events: {
    changed: { says: 'Changed the tenancy settings', body: z.object({ fields: z.array(z.string()) }) },
  },
})
