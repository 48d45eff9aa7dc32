import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, PageQuery, pageOf } from '#core/contract/shapes.ts'
import { longestName } from './names.ts'
import {
  accessLevels,
  certificateClasses,
  defaultExtensions,
  extendedUsages,
  keyKinds,
  keyTypes,
  keyUsages,
  mostBackdatedMinutes,
  namesWithoutPlace,
  renewalModes,
  sanFields,
  subjectFields,
  validityUnits,
} from './rules.ts'

const namesOf = <K extends string>(table: Record<K, unknown>): [K, ...K[]] => Object.keys(table) as [K, ...K[]]

export const CertificateClass = z.enum(namesOf(certificateClasses))
export const KeyUsageName = z.enum(namesOf(keyUsages))
export const ExtendedUsageName = z.enum(namesOf(extendedUsages))
export const KeyKindName = z.enum(namesOf(keyKinds))
export const SanField = z.enum(namesOf(sanFields))

/** The specification's own five fields, then the usages. */
const extensionFields = {
  certificateSubjects: z.array(z.object({ subjectField: z.enum(namesOf(subjectFields)), fieldValue: Line(200) })).max(20),
  certificateSans: z.array(z.object({ sanField: SanField, fieldValue: Line(200) })).max(20),
  validityPeriod: z.number().int('Enter a whole number').min(1, 'At least 1').max(100_000, 'At most 100000'),
  validityPeriodUnits: z.enum(validityUnits),
  renewalMode: z.enum(namesOf(renewalModes)),
  ignoreCsrDetails: z.boolean(),
  keyUsages: z.array(KeyUsageName).max(9),
  extendedUsages: z.array(ExtendedUsageName).max(20),
}

/** What a template need not have. */
export const furtherExtensions = z.object({
  /** So many days before the end renewal begins; a third of the validity, at most 30 days, where absent. */
  renewalDays: z.number('Enter a whole number').int('Enter a whole number').min(1, 'At least 1').max(365, 'At most 365'),
  /** Of a CSR whose names are read; the request is refused where absent. */
  namesWithoutPlace: z.enum(namesOf(namesWithoutPlace)),
  /** The validity begins so many minutes before the certificate is issued; one where absent. */
  backdatedMinutes: z
    .number('Enter a whole number')
    .int('Enter a whole number')
    .min(0, 'At least 0')
    .max(mostBackdatedMinutes, `At most ${mostBackdatedMinutes}`),
  /** Purposes that have no name here, as dotted identifiers. */
  customUsages: z.array(Line(200)).max(20),
  certificatePolicies: z.array(z.object({ policyIdentifier: Line(200), cps: OptionalLine(300) })).max(20),
  /** The person's Windows security identifier, where the record has one. */
  securityIdentifier: z.boolean(),
  microsoftTemplateName: z.union([z.literal(''), Line(64)]),
  /** Certificates say which template they are of, so that Windows knows for which it has one. */
  microsoftTemplate: z.boolean(),
  ocspNoCheck: z.boolean(),
  /** Keys are made here and kept, sealed, so that they can be recovered. */
  keyArchival: z.boolean(),
  recoveryApprovers: z.number('Enter a whole number').int('Enter a whole number').min(1, 'At least 1').max(10, 'At most 10'),
})

/** Whole, as a template has them. */
const WholeExtensions = z.object({ ...extensionFields, ...furtherExtensions.partial().shape })

/** What a certificate of a new template carries: what is not sent is as by default. */
export const TemplateExtensions = WholeExtensions.extend({
  certificateSubjects: extensionFields.certificateSubjects.default(defaultExtensions.certificateSubjects),
  certificateSans: extensionFields.certificateSans.default(defaultExtensions.certificateSans),
  validityPeriod: extensionFields.validityPeriod.default(defaultExtensions.validityPeriod),
  validityPeriodUnits: extensionFields.validityPeriodUnits.default(defaultExtensions.validityPeriodUnits),
  renewalMode: extensionFields.renewalMode.default(defaultExtensions.renewalMode),
  ignoreCsrDetails: extensionFields.ignoreCsrDetails.default(defaultExtensions.ignoreCsrDetails),
  keyUsages: extensionFields.keyUsages.default(defaultExtensions.keyUsages),
  extendedUsages: extensionFields.extendedUsages.default(defaultExtensions.extendedUsages),
})

/** What a template need not have. */
export const furtherRules = z.object({
  /** Networks such as 10.0.0.0/8. Empty: any address where any domain is allowed, and none where domains are named. */
  allowedAddresses: z.array(Line(60)).max(200),
  /** The key must be attested by a TPM. */
  attestation: z.boolean(),
  /** Only the card desk asks with it, for keys made on cards. */
  cardsOnly: z.boolean(),
})

/** What a request must keep to. It travels as a JSON string in `csrRules`, as the specification has it. */
const WholeRules = z.object({
  keys: z.array(KeyKindName).min(1, 'Allow at least one kind of key').max(100),
  /** `example.org`, or `*.example.org` for every name below it. An empty list allows any name. */
  allowedDomains: z.array(Line(253)).max(200),
  wildcards: z.boolean(),
  maximumNames: z.number().int('Enter a whole number').min(1, 'At least 1').max(100, 'At most 100'),
  ...furtherRules.partial().shape,
})

export const CsrRules = WholeRules.extend({
  allowedDomains: WholeRules.shape.allowedDomains.default([]),
  wildcards: WholeRules.shape.wildcards.default(false),
  maximumNames: WholeRules.shape.maximumNames.default(20),
})

/** 0 asks nobody, otherwise so many approvers; never the requester. */
export const ApproverCount = z.number().int().min(0).max(10).default(0)

export const TemplateDraft = z.object({
  templateName: Line(64),
  displayName: OptionalLine(100),
  caId: Id,
  class: CertificateClass.default('DEVICE'),
  accessLevel: z.enum(accessLevels).default('OPERATOR'),
  selfServiceEligible: z.boolean().default(false),
  enabled: z.boolean().default(true),
  priority: z.number().int().min(-1).max(100_000).optional(),
  issueApprovers: ApproverCount,
  revocationApprovers: ApproverCount,
  extensions: TemplateExtensions,
  rules: CsrRules,
})

/** As they are changed: `null` takes away what a template need not have. */
const ChangedExtensions = z.object({
  ...extensionFields,
  renewalDays: furtherExtensions.shape.renewalDays.nullish(),
  namesWithoutPlace: furtherExtensions.shape.namesWithoutPlace.nullish(),
  backdatedMinutes: furtherExtensions.shape.backdatedMinutes.nullish(),
  customUsages: furtherExtensions.shape.customUsages.nullish(),
  certificatePolicies: furtherExtensions.shape.certificatePolicies.nullish(),
  securityIdentifier: furtherExtensions.shape.securityIdentifier.nullish(),
  microsoftTemplateName: furtherExtensions.shape.microsoftTemplateName.nullish(),
  microsoftTemplate: furtherExtensions.shape.microsoftTemplate.nullish(),
  ocspNoCheck: furtherExtensions.shape.ocspNoCheck.nullish(),
  keyArchival: furtherExtensions.shape.keyArchival.nullish(),
  recoveryApprovers: furtherExtensions.shape.recoveryApprovers.nullish(),
})

const draftFields = TemplateDraft.shape

/** Whole: what is left out must not become what new templates have, and what the template has and need not have must be sent or taken away (`null`). */
const TemplateChange = z.object({
  templateId: Id,
  version: z.number().int(),
  templateName: draftFields.templateName,
  displayName: draftFields.displayName.unwrap(),
  caId: draftFields.caId,
  class: draftFields.class.unwrap(),
  accessLevel: draftFields.accessLevel.unwrap(),
  selfServiceEligible: draftFields.selfServiceEligible.unwrap(),
  enabled: draftFields.enabled.unwrap(),
  priority: draftFields.priority.nullable(),
  issueApprovers: ApproverCount.unwrap(),
  revocationApprovers: ApproverCount.unwrap(),
  extensions: ChangedExtensions,
  rules: WholeRules.extend({
    allowedAddresses: furtherRules.shape.allowedAddresses.nullish(),
    attestation: furtherRules.shape.attestation.nullish(),
    cardsOnly: furtherRules.shape.cardsOnly.nullish(),
  }),
  // A template may be sent back as it was read; these two are not changed by it.
  caName: z.string().optional(),
  updatedAt: Instant.optional(),
})

/** A row of the template list: the server's fields as the specification names them, then ours. */
export const TemplateRow = z.object({
  asymmetricAlgorithm: z.string(),
  keyTypes: z.array(z.enum(keyTypes)),
  class: CertificateClass,
  caName: z.string(),
  templateName: z.string(),
  templateId: Id,
  licensedTemplateId: Id,
  csrRules: z.string(),
  accessLevel: z.enum(accessLevels),
  caExpiry: z.string(),
  digicertOrgName: z.string(),
  digicertOrgId: z.string(),
  selfServiceEligible: z.boolean(),
  caId: Id,
  priority: z.number().int().optional(),
  displayName: z.string(),
  enabled: z.boolean(),
  issueApprovers: z.number().int(),
  validityPeriod: z.number().int(),
  validityPeriodUnits: z.enum(validityUnits),
  updatedAt: Instant,
})

/** What a request form must ask for: each value that the person types, and those that come from a record. */
export const AskedValue = z.object({
  source: z.string(),
  label: z.string(),
  from: z.enum(['typed', 'record']),
  required: z.boolean(),
  many: z.boolean(),
})

export const OfferedTemplate = TemplateRow.extend({
  asks: z.array(AskedValue),
  ignoreCsrDetails: z.boolean(),
  serverKey: z.boolean(),
  keyArchival: z.boolean(),
  keys: z.array(KeyKindName),
})

/** Shows why nothing is issued: `says` is the sentence of `code`, filled with `params` (areas/authorities/refusals.ts, or lint's own). */
export const RefusalView = z.object({
  code: z.string(),
  field: z.string(),
  severity: z.enum(['error', 'fatal']),
  says: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
})

export const Finding = z.object({ severity: z.enum(['warn', 'error', 'fatal']), code: z.string(), message: z.string(), field: z.string() })

export const PlannedCertificate = z.object({
  issuer: z.string(),
  subject: z.string(),
  sans: z.array(z.object({ sanField: SanField, value: z.string() })),
  keyUsages: z.array(z.string()),
  extendedUsages: z.array(z.string()),
  key: z.string(),
  notBefore: Instant,
  notAfter: Instant,
})

export const ValuesTyped = z.record(z.string().max(40), z.array(z.string().max(longestName)).max(100)).default({})

/** In characters. */
export const longestRequest = 100_000
export const RequestText = z.string().max(longestRequest, `A request has at most ${longestRequest.toLocaleString('en-GB')} characters`)

const TemplateView = TemplateDraft.extend({ templateId: Id, version: z.number().int(), caName: z.string(), updatedAt: Instant })
const ById = z.object({ templateId: Id })

export const templates = contract({
  area: 'templates',
  title: 'Templates',
  screens: {
    manage: {
      path: '/pki/manage/certificate-templates/:id?',
      needs: 'manageCAs',
      title: 'Templates',
      single: 'Template',
      also: 'profile, policy, what may be issued',
      jumps: [{ title: 'New template', params: { id: 'new' }, also: 'create a template, new profile' }],
      menu: { group: 'pki', entry: 'templates', tab: 'Ours', place: 10 },
    },
    system: {
      path: '/pki/templates/manage/system',
      needs: 'certificateConfig',
      title: 'System templates',
      menu: { group: 'pki', entry: 'templates', tab: 'System', place: 20 },
    },
  },
  records: { template: { singular: 'Template', plural: 'Templates', needs: 'manageCAs', place: 50 } },
  calls: {
    list: {
      does: 'Lists the certificate templates of the tenancy, its own and licensed ones, filtered by authority, class and text.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchCertificateTemplates',
      needs: 'manageCAs',
      reads: true,
      input: PageQuery.extend({ caId: Id.optional(), class: CertificateClass.optional() }),
      output: pageOf(TemplateRow),
      failed: 'The templates could not be read',
    },
    offered: {
      does: 'Answers the templates with which the caller may ask for a certificate, with the values that each asks for.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateTemplates',
      needs: 'signedIn',
      tokens: ['certSigningRequest', 'certSigningRequestUser', 'selfServicePortal', 'manageCAs'],
      input: z.object({ entity: z.enum(['user', 'device']) }),
      output: z.object({ templates: z.array(OfferedTemplate) }),
      failed: 'The templates could not be read',
    },
    names: {
      does: 'Answers the templates of an authority in the short form: id, names, class and type.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateTemplateNames',
      needs: 'manageCAs',
      input: z.object({ caId: Id.optional() }),
      output: z.object({
        templates: z.array(
          z.object({ id: Id, displayName: z.string(), class: CertificateClass, templateFriendlyName: z.string(), type: z.string() }),
        ),
      }),
    },
    get: {
      does: 'Answers one template whole, with the version to send back when it is edited.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateTemplate',
      needs: 'manageCAs',
      input: ById,
      output: TemplateView,
    },
    extensions: {
      does: 'Answers the subjects, alternative names, validity, renewal and usages of a template.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateTemplateExtensions',
      needs: 'manageCAs',
      input: ById,
      output: WholeExtensions.extend({ templateId: Id, version: z.number().int() }),
    },
    /** What is not sent stays as it is, and `null` takes away. With a `version`, only over what was read. */
    setExtensions: {
      does: 'Changes what is sent of the subjects, alternative names, validity, renewal and usages of a template, and takes away what is sent as null; what was issued stays as it is.',
      title: 'Change the extensions of a template',
      method: 'PUT',
      path: '/api2/PKI-v1/CertificateTemplateExtensions',
      needs: 'manageCAs',
      input: ChangedExtensions.partial().extend({ templateId: Id, version: z.number().int().optional() }),
      output: z.object({ templateId: Id, version: z.number().int() }),
      done: 'Template extensions saved',
      failed: 'The template extensions were not saved',
    },
    add: {
      does: 'Makes a template of an authority; answers its id.',
      title: 'Add a template',
      method: 'POST',
      path: '/api2/PKI-v1/CertificateTemplate',
      needs: 'manageCAs',
      input: TemplateDraft,
      output: ById,
      done: 'Template added',
      failed: 'The template was not added',
      faults: {
        nameTaken: {
          status: 409,
          says: 'The authority has a template of this name already',
          field: 'templateName',
          constraint: 'templates_by_name',
        },
      },
    },
    edit: {
      does: 'Replaces a template, where nobody has changed it since the version that is sent. All that it has must be sent, or taken away by null; answers the new version.',
      title: 'Change a template',
      method: 'PUT',
      path: '/api2/PKI-v1/CertificateTemplate',
      needs: 'manageCAs',
      input: TemplateChange,
      output: z.object({ templateId: Id, version: z.number().int() }),
      done: 'Template saved',
      failed: 'The template was not saved',
      faults: {
        nameTaken: {
          status: 409,
          says: 'The authority has a template of this name already',
          field: 'templateName',
          constraint: 'templates_by_name',
        },
      },
    },
    remove: {
      does: 'Deletes a template; what was issued with it stays valid and can be revoked.',
      title: 'Delete a template',
      method: 'DELETE',
      path: '/api2/PKI-v1/CertificateTemplate',
      needs: 'manageCAs',
      input: ById,
      output: z.object({}),
      done: 'Template deleted',
      failed: 'The template was not deleted',
    },
    system: {
      does: 'Answers the built-in profiles, and the authorities to which one can be added.',
      method: 'GET',
      path: '/api2/PKI-v1/SystemTemplates',
      needs: 'certificateConfig',
      input: z.object({}),
      output: z.object({
        templates: z.array(
          z.object({
            templateName: z.string(),
            displayName: z.string(),
            says: z.string(),
            class: CertificateClass,
            keyUsages: z.array(z.string()),
            extendedUsages: z.array(z.string()),
            names: z.array(z.string()),
            keys: z.array(KeyKindName),
            validityPeriod: z.number().int(),
            validityPeriodUnits: z.enum(validityUnits),
            issueApprovers: z.number().int(),
            /** The authorities that have a template of this name. */
            presentAt: z.array(Id),
          }),
        ),
        authorities: z.array(z.object({ caId: Id, friendlyName: z.string() })),
      }),
    },
    addSystem: {
      does: 'Adds a built-in profile to an authority as a template; answers its id.',
      title: 'Add a template',
      method: 'POST',
      path: '/api2/PKI-v1/SystemTemplate',
      needs: 'certificateConfig',
      input: z.object({ templateName: Line(64), caId: Id }),
      output: ById,
      done: 'Template added to the authority',
      failed: 'The template was not added',
      faults: {
        nameTaken: {
          status: 409,
          says: 'The authority has a template of this name already',
          field: 'templateName',
          constraint: 'templates_by_name',
        },
      },
    },
    preview: {
      does: 'Answers the certificate that a template would make of a request, with findings and faults; nothing is asked for.',
      method: 'POST',
      path: '/api2/PKI-v1/PreviewCertificateTemplate',
      needs: 'manageCAs',
      reads: true,
      ownTransactions: true,
      input: z.object({ draft: TemplateDraft, csr: RequestText.optional(), values: ValuesTyped }),
      output: z.object({
        planned: PlannedCertificate.optional(),
        findings: z.array(Finding),
        faults: z.array(z.object({ field: z.string(), says: z.string() })),
      }),
    },
  },
  events: {
    added: { says: 'Added a template', body: z.object({ templateId: Id, templateName: z.string(), caId: Id }) },
    edited: { says: 'Changed a template', body: z.object({ templateId: Id, templateName: z.string(), changed: z.array(z.string()) }) },
    removed: { says: 'Deleted a template', body: z.object({ templateId: Id, templateName: z.string() }) },
  },
})
