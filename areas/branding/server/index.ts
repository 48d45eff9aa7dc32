import { readDomain } from '#areas/domains/rules.ts'
import { isDomainProved, listProvedDomains } from '#areas/domains/service.ts'
import { domainUses } from '#areas/domains/uses.ts'
import { mailLooks } from '#areas/mail/mail-looks.ts'
import { refuseDisguised } from '#areas/tenancy/service.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { invalidField } from '#core/server/fault.ts'
import { cleanImage } from '#core/server/images/images.ts'
import { registerHosts } from '#core/server/own-hosts.ts'
import { serve } from '#core/server/serve.ts'
import { branding } from '../contract.ts'
import { brandingUse, logoEdge, lookFault } from '../rules.ts'
import { lookOfHost, lookOfMail, presentLook } from '../service.ts'
import { deleteBranding, findBranding, insertBranding, listBrandings, listHosts } from './store.ts'

const mostHosts = 50

export default serve(
  branding,
  {
    async ofHost(_input, { house, request }) {
      const look = await lookOfHost(house, request.host)
      if (look === undefined) return {}
      const { tenantId: _tenantId, ...config } = look
      return config
    },

    async configs({ OID }, { tenancy, fault }) {
      if (OID !== undefined && OID !== tenancy.tenantId) fault('missing')
      const rows = await listBrandings(tenancy)
      const configs = []
      for (const row of rows) {
        const { tenantId: _tenantId, ...config } = presentLook(row)
        configs.push({ ...config, proved: await isDomainProved(tenancy, row.host) })
      }
      return { configs, domains: await listProvedDomains(tenancy) }
    },

    async change({ domain, icon, ...look }, { viewer, transact, fault }) {
      const host = readDomain(domain) ?? fault('notADomain')
      const unreadable = lookFault(look)
      if (unreadable !== undefined) throw invalidField(unreadable.field, unreadable.says)
      if (look.altAppName !== '') refuseDisguised('altAppName', look.altAppName)
      const picture =
        icon === undefined || icon === '' ? undefined : await cleanImage(icon, { tenantId: viewer.tenantId, field: 'icon', edge: logoEdge })
      await transact(async ({ tenancy, emit }) => {
        if (!(await isDomainProved(tenancy, host))) fault('notProved')
        const hosts = await listHosts(tenancy)
        if (!hosts.includes(host) && hosts.length >= mostHosts) fault('tooMany', { params: { most: mostHosts } })
        await insertBranding(
          tenancy,
          {
            host,
            alt_app_name: look.altAppName,
            primary_colour: look.primaryColour,
            secondary_colour: look.secondaryColour,
            tertiary_colour: look.tertiaryColour,
            logo_contains_app_name: look.logoContainsAppName,
          },
          picture === undefined
            ? icon === ''
              ? { icon: null, icon_type: null }
              : undefined
            : { icon: Buffer.from(picture.bytes), icon_type: picture.type },
        )
        const { icon: kept } = (await findBranding(tenancy, host)) ?? fault('missing')
        emit('changed', { domain: host, logo: kept !== null }, tenancy.tenantId)
      })
      return {}
    },

    async remove({ domain }, { tenancy, emit, fault }) {
      const host = readDomain(domain) ?? fault('missing')
      if (!(await deleteBranding(tenancy, host))) fault('missing')
      emit('removed', { domain: host }, tenancy.tenantId)
      return {}
    },
  },
  {
    offers: [
      offer(domainUses, {
        kind: brandingUse,
        blocks: true,
        path: to(branding.screens.config),
        async count(tenancy, names) {
          const hosts = await listHosts(tenancy)
          return new Map(names.map((name) => [name, hosts.filter((host) => host === name || host.endsWith(`.${name}`)).length]))
        },
      }),
      offer(mailLooks, async (tenancy) => {
        const look = await lookOfMail(tenancy)
        return look && { name: look.altAppName, ...look }
      }),
    ],
    async start(house) {
      registerHosts(house, async (host) => (await lookOfHost(house, host)) !== undefined)
    },
  },
)
