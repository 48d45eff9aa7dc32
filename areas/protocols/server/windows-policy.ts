// What a Windows profile offers to whoever has signed in: its one template, as MS-XCEP describes templates.

import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { keyUsagesFor } from '#areas/templates/plan.ts'
import { validityOf } from '#areas/templates/preview.ts'
import { windowsTemplate } from '#areas/templates/requests.ts'
import { certificateClasses, extendedUsages, type Entity } from '#areas/templates/rules.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { to } from '#core/contract/paths.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { WINDOWS_KEYS, type Policy } from '#standards/wstep/policies.ts'
import { TEMPLATE_REVISION, templateOid } from '#standards/wstep/template-oid.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { protocolRoom } from '../contract.ts'
import type { ProfileRecord } from './store.ts'
import type { Door } from './wire.ts'

/** The name by which Windows asks for the template. */
export const windowsName = ({ extensions, templateName }: Pick<Template, 'extensions' | 'templateName'>): string =>
  (extensions.microsoftTemplateName ?? '') === '' ? templateName : (extensions.microsoftTemplateName ?? '')

export const isFor = (template: Pick<Template, 'class'>, entity: Entity): boolean =>
  certificateClasses[template.class].entities.some((one) => one === entity)

export const enrolAddress = (house: House, { public_id: publicId }: Pick<ProfileRecord, 'public_id'>): string =>
  `${house.settings.origin}${to(protocolRoom.endpoints.windowsEnrol, { publicId })}`

/** A machine in group policy asks by this, whichever address of the same it was given. */
export const policyIdOf = ({ id }: Pick<ProfileRecord, 'id'>): string => `{${id.toUpperCase()}}`

/** Undefined where the template or its authority is gone, or is for somebody else. Windows makes no other kinds of keys than those of WINDOWS_KEYS. */
export function policyFor({ house, tenantId, profile }: Door, entity: Entity): Promise<Policy | undefined> {
  return withTenancy(house, tenantId, async ({ db, now }) => {
    const template = await findTemplate(db, tenantId, profile.template_id, now)
    if (template === undefined || !template.enabled || !isFor(template, entity)) return undefined
    const issuer = await findUsableIssuer(db, tenantId, template.caId, now)
    const certificate = issuer?.chain[0]
    const key = template.rules.keys.find((name) => Object.hasOwn(WINDOWS_KEYS, name))
    if (issuer === undefined || certificate === undefined || key === undefined) return undefined
    const { notBefore, notAfter } = validityOf(template.extensions, issuer, now)
    const validitySeconds = Math.round((notAfter.getTime() - notBefore.getTime()) / 1000)
    const days = template.extensions.renewalDays
    const byCertificate = house.settings.certificateSignIn?.url
    const isRenewed = profile.settings.renewal && template.extensions.renewalMode !== 'NONE'
    const path = to(protocolRoom.endpoints.windowsEnrol, { publicId: profile.public_id })
    return {
      policyId: policyIdOf(profile),
      friendlyName: profile.name,
      template: {
        oid: templateOid(template.id),
        name: windowsName(template),
        majorRevision: TEMPLATE_REVISION.major,
        minorRevision: TEMPLATE_REVISION.minor,
        validitySeconds,
        renewalSeconds: Math.min(days === undefined ? Infinity : days * 86_400, Math.floor(validitySeconds / 5)),
        key,
        isForMachines: entity === 'device',
        isPending: template.issueApprovers > 0,
        extensions: extensionsOf(template, key),
      },
      authority: {
        certificate,
        uris: [
          { signIn: 'password', uri: enrolAddress(house, profile), renewalOnly: false },
          ...(byCertificate === undefined || !isRenewed
            ? []
            : [{ signIn: 'certificate' as const, uri: `${byCertificate}${path}`, renewalOnly: true }]),
        ],
      },
    }
  })
}

/** What the template gives anyway, so that a request that names it is not refused for it. */
function extensionsOf({ id, extensions }: Template, key: Template['rules']['keys'][number]): Extension[] {
  const usages = keyUsagesFor(extensions.keyUsages, key)
  const purposes = [...extensions.extendedUsages.map((name) => extendedUsages[name].oid), ...(extensions.customUsages ?? [])]
  return [
    windowsTemplate(id),
    ...(usages.length === 0 ? [] : [{ type: 'keyUsage' as const, critical: true, usages }]),
    ...(purposes.length === 0 ? [] : [{ type: 'extKeyUsage' as const, critical: false, purposes }]),
  ]
}
