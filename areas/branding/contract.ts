import * as z from 'zod'
import { Colour, defaultColour } from '#areas/tenancy/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Line, OptionalLine } from '#core/contract/shapes.ts'

const OptionalColour = z.union([z.literal(''), Colour]).default('')

const Config = z.object({
  domain: z.string(),
  altAppName: z.string(),
  primaryColour: z.string(),
  secondaryColour: z.string(),
  tertiaryColour: z.string(),
  /** A data URL; empty without a logo. */
  icon: z.string(),
  logoContainsAppName: z.boolean(),
})

export const branding = contract({
  area: 'branding',
  title: 'Branding',
  screens: {
    config: {
      path: '/config/domain-branding',
      needs: 'domainBranding',
      title: 'Domain branding',
      also: 'look, logo, colours, host name, theme',
      menu: { group: 'settings', entry: 'branding' },
    },
  },
  calls: {
    ofHost: {
      does: 'Answers the look of the host that is asked, where a tenancy has proved its domain and gave it one; otherwise an empty object.',
      method: 'GET',
      path: '/api2/IDM-v1/DomainBrandingConfig',
      needs: 'public',
      input: z.object({}),
      output: Config.partial(),
      failed: 'Error finding custom branding information',
    },
    configs: {
      does: 'Answers the looks of the hosts of a tenancy by name; OID is the id of the tenancy that the caller works in.',
      method: 'GET',
      path: '/api2/IDM-v1/DomainBrandingConfigs',
      needs: 'domainBranding',
      input: z.object({ OID: Id.optional() }),
      output: z.object({ configs: z.array(Config.extend({ proved: z.boolean() })), domains: z.array(z.string()) }),
      failed: 'Error finding custom branding information',
    },
    change: {
      does: 'Sets the look of a host below a domain that the tenancy has proved; answers nothing. Without `icon` the logo stays.',
      title: 'Change the look of a host',
      method: 'PUT',
      path: '/api2/IDM-v1/DomainBrandingConfig',
      needs: 'domainBranding',
      ownTransactions: true,
      bodyLimit: 14 * 1024 * 1024,
      input: z.object({
        domain: Line(253),
        altAppName: OptionalLine(60),
        primaryColour: Colour.default(defaultColour),
        secondaryColour: OptionalColour,
        tertiaryColour: OptionalColour,
        icon: z.string().optional(),
        logoContainsAppName: z.boolean().default(false),
      }),
      output: z.object({}),
      done: 'Domain Branding Updated',
      failed: 'Error updating domain branding configuration',
      faults: {
        notADomain: { status: 400, says: 'Enter a host name such as pki.example.com', field: 'domain' },
        notProved: {
          status: 409,
          says: 'Prove control of this domain first, under Allowed domains',
          field: 'domain',
        },
        tooMany: { status: 409, says: 'A tenancy has a look for at most {most} hosts' },
      },
    },
    remove: {
      does: 'Takes the look of a host away; answers nothing.',
      title: 'Remove the look of a host',
      method: 'DELETE',
      path: '/api2/IDM-v1/DomainBrandingConfig',
      needs: 'domainBranding',
      input: z.object({ domain: Line(253) }),
      output: z.object({}),
      done: 'The look of the host was removed',
      failed: 'Error updating domain branding configuration',
    },
  },
  events: {
    changed: { says: 'Changed the look of a host', body: z.object({ domain: z.string(), logo: z.boolean() }) },
    removed: { says: 'Removed the look of a host', body: z.object({ domain: z.string() }) },
  },
})
