import * as z from 'zod'
import { CertificateText } from '#areas/authorities/certificate-text.ts'
import { authorityStatuses } from '#areas/authorities/rules.ts'
import { CertificateClass, KeyKindName } from '#areas/templates/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { licenceStates, notForAnonymous } from './rules.ts'

/** Days in UTC; both belong to those on which it holds. */
const Day = z.iso.date('Enter a day')
const Term = z.object({ enabled: z.boolean(), from: Day.optional(), until: Day.optional() })
const Licence = Term.extend({ state: z.enum(licenceStates) })

/** The first and the last day. One that is left out stays what it was, an empty one is taken away. */
const WantedDays = z.object({ from: z.union([z.literal(''), Day]).optional(), until: z.union([z.literal(''), Day]).optional() })

const pinned = z.enum(['', 'mandatory', 'static'])

/** A template that the tenancy may use: its own, or one that another has licensed to it. */
const UsableTemplate = z.object({
  licensedTemplateId: Id,
  templateId: Id,
  templateName: z.string(),
  displayName: z.string(),
  caId: Id,
  caName: z.string(),
  class: CertificateClass,
  own: z.boolean(),
  /** The owner's name, of a licensed one. */
  owner: z.string(),
  /** False where the licence of the template or of its authority does not hold. */
  granted: z.boolean(),
  /** What both licences allow together, of a licensed one. */
  licence: Licence.optional(),
  enabled: z.boolean(),
  anonymousEnabled: z.boolean(),
  selfServiceEligible: z.boolean(),
  priority: z.number().int().optional(),
  pinned,
})

/** Rules of this tenancy over a template. Each can only be stricter than the template's own. */
export const TemplateRules = z.object({
  /** Empty: those of the template. */
  keys: z.array(KeyKindName).max(60).default([]),
  /** Empty: those of the template. */
  allowedDomains: z.array(Line(253)).max(200).default([]),
  wildcards: z.boolean().default(true),
  maximumNames: z.number('Enter a whole number').int('Enter a whole number').min(1, 'At least 1').max(100, 'At most 100').default(100),
  /** 0: as the template says. */
  issueApprovers: z.number().int().min(0).max(10).default(0),
  revocationApprovers: z.number().int().min(0).max(10).default(0),
})

/** What the template itself says, to narrow. */
const TemplateSays = z.object({
  keys: z.array(KeyKindName),
  allowedDomains: z.array(z.string()),
  wildcards: z.boolean(),
  maximumNames: z.number().int(),
  issueApprovers: z.number().int(),
  revocationApprovers: z.number().int(),
})

const ExternalCertificate = z.object({
  subject: z.string(),
  serialNumber: z.string(),
  key: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  sha256: z.string(),
  status: z.enum(authorityStatuses),
})

const Registered = ExternalCertificate.extend({
  id: Id,
  friendlyName: z.string(),
  origin: z.enum(['own', 'licensed', 'outside']),
  /** Whose it is, of a licensed one. */
  owner: z.string(),
  /** Of a licensed one. */
  licence: Licence.optional(),
  issuer: z.string(),
  enabled: z.boolean(),
})

const AttestationRoot = ExternalCertificate.extend({ id: Id, manufacturer: z.string(), addedBy: z.string(), addedAt: Instant })

const templateOnly = z.object({ licensedTemplateId: Id })

export const licensing = contract({
  area: 'licensing',
  title: 'Licences',
  screens: {
    licences: {
      path: '/config/certificateservices/licensing',
      needs: 'tenancyConfig',
      title: 'Licensing',
      menu: { group: 'settings', entry: 'licensing', tab: 'Licences', place: 10 },
    },
    registration: {
      path: '/config/certificateservices/registration',
      needs: 'tenancyConfig',
      title: 'Registered authorities',
      menu: { group: 'settings', entry: 'licensing', tab: 'Registered authorities', place: 20 },
    },
    templates: {
      path: '/config/certificateservices/templates',
      needs: 'tenancyConfig',
      title: 'Templates of this tenancy',
      menu: { group: 'pki', entry: 'templates', tab: 'Licensed', place: 30 },
    },
    rules: {
      path: '/pki/templates/licensed',
      needs: 'manageTemplateRules',
      title: 'Template rules',
      menu: { group: 'pki', entry: 'templates', tab: 'Rules', place: 40 },
    },
    attestation: {
      path: '/pki/tpm-key-attestation',
      needs: 'autoEnrollTemplateRules',
      title: 'TPM key attestation',
      also: 'attested keys, trusted platform module',
      menu: { group: 'pki', entry: 'enrolment', tab: 'TPM', place: 60 },
    },
    order: {
      path: '/credentials/certificates/config',
      needs: 'templateDisplayOrder',
      title: 'Order of templates',
      menu: { group: 'pki', entry: 'templates', tab: 'Order', place: 50 },
    },
  },
  calls: {
    tenants: {
      does: 'Lists the tenancies that can be licensed, with what each has and what ends next.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchLicensedTenants',
      needs: 'tenancyConfig',
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          tenantId: Id,
          name: z.string(),
          /** Licences that hold. */ authorities: z.number().int(),
          templates: z.number().int(),
          /** The last day of the one that ends first. */ endsNext: Day.optional(),
          soon: z.boolean(),
        }),
      ).extend({ /** Only a management tenancy licenses to others. */ mayLicense: z.boolean() }),
    },
    licences: {
      does: 'Answers the authorities and templates of this tenancy, and what of them another tenancy may use.',
      method: 'GET',
      path: '/api2/PKI-v1/TenantLicences',
      needs: 'tenancyConfig',
      input: z.object({ tenantId: Id }),
      output: z.object({
        tenantId: Id,
        name: z.string(),
        authorities: z.array(
          z.object({
            caId: Id,
            friendlyName: z.string(),
            status: z.enum(authorityStatuses),
            licence: Licence,
            templates: z.array(
              z.object({ templateId: Id, displayName: z.string(), class: CertificateClass, enabled: z.boolean(), licence: Licence }),
            ),
          }),
        ),
      }),
    },
    licenseAuthority: {
      does: 'Grants an authority to a tenancy between two days, or takes the licence back; answers nothing.',
      title: 'License an authority to a tenancy',
      method: 'PUT',
      path: '/api2/PKI-v1/AuthorityLicence',
      needs: 'tenancyConfig',
      input: WantedDays.extend({ tenantId: Id, caId: Id, enabled: z.boolean() }),
      output: z.object({}),
      failed: 'The licence was not changed',
      faults: { notManagement: { status: 409, says: 'Only a management tenancy licenses to others' } },
    },
    licenseTemplate: {
      does: 'Grants a template to a tenancy between two days, or takes the licence back; answers nothing.',
      title: 'License a template to a tenancy',
      method: 'PUT',
      path: '/api2/PKI-v1/TemplateLicence',
      needs: 'tenancyConfig',
      input: WantedDays.extend({ tenantId: Id, templateId: Id, enabled: z.boolean() }),
      output: z.object({}),
      failed: 'The licence was not changed',
      faults: {
        notManagement: { status: 409, says: 'Only a management tenancy licenses to others' },
        authorityFirst: { status: 409, says: 'License the authority of this template to the tenancy first' },
      },
    },
    templates: {
      does: 'Lists the templates that this tenancy can use, its own and licensed ones, with how they are switched.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchLicensedTemplates',
      needs: 'tenancyConfig',
      reads: true,
      input: PageQuery.extend({ origin: z.enum(['own', 'licensed']).optional() }),
      output: pageOf(UsableTemplate),
    },
    setFlags: {
      does: 'Switches a template on or off for this tenancy, for self-service, and for people without an account.',
      title: 'Change who a template is offered to',
      method: 'PUT',
      path: '/api2/PKI-v1/LicensedTemplate',
      needs: 'tenancyConfig',
      input: templateOnly.extend({ enabled: z.boolean(), anonymousEnabled: z.boolean(), selfServiceEligible: z.boolean() }),
      output: z.object({}),
      failed: 'The template was not changed',
      faults: { forPeople: { status: 409, says: notForAnonymous } },
    },
    rules: {
      does: 'Lists the templates with the rules that this tenancy has narrowed.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchTemplateRules',
      needs: 'manageTemplateRules',
      reads: true,
      input: PageQuery,
      output: pageOf(
        UsableTemplate.extend({
          narrowed: z.boolean(),
          /** As it holds here, both sides' rules together. */ issueApprovers: z.number().int(),
          allowedDomains: z.array(z.string()),
        }),
      ),
    },
    rule: {
      does: 'Answers the rules of this tenancy over one template, what the template itself says, and the version to send back.',
      method: 'GET',
      path: '/api2/PKI-v1/TemplateRules',
      needs: 'manageTemplateRules',
      input: templateOnly,
      output: UsableTemplate.extend({ says: TemplateSays, rules: TemplateRules, version: z.number().int() }),
    },
    setRule: {
      does: 'Replaces the rules of this tenancy over a template; they narrow it and never widen it.',
      title: 'Change the rules of a template',
      method: 'PUT',
      path: '/api2/PKI-v1/TemplateRules',
      needs: 'manageTemplateRules',
      input: TemplateRules.extend({ licensedTemplateId: Id, version: z.number().int() }),
      output: z.object({}),
      done: 'Template rules saved',
      failed: 'The template rules were not saved',
    },
    ordered: {
      does: 'Answers the templates in the order in which they are offered.',
      method: 'GET',
      path: '/api2/PKI-v1/TemplateOrder',
      needs: 'templateDisplayOrder',
      input: z.object({}),
      output: z.object({ templates: z.array(UsableTemplate) }),
    },
    setOrder: {
      does: 'Sets the order in which templates are offered; answers it as it stands then.',
      title: 'Change the order of templates',
      method: 'PUT',
      path: '/api2/PKI-v1/TemplateOrder',
      needs: 'templateDisplayOrder',
      /** All of them, first to last: they are numbered in this order, pinned ones before the others. */
      input: z.object({ templates: z.array(z.object({ licensedTemplateId: Id, pinned })).max(2_000) }),
      output: z.object({ templates: z.array(z.object({ licensedTemplateId: Id, priority: z.number().int() })) }),
      done: 'Order saved',
      failed: 'The order was not saved',
    },
    registered: {
      does: 'Lists the authorities that this tenancy knows: its own, licensed and registered ones.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchRegisteredAuthorities',
      needs: 'tenancyConfig',
      reads: true,
      input: PageQuery.extend({ origin: z.enum(['own', 'licensed', 'outside']).optional() }),
      output: pageOf(Registered),
    },
    register: {
      does: 'Registers the certificate of an external authority, so that it is known by name; answers its id.',
      title: 'Register an outside authority',
      method: 'POST',
      path: '/api2/PKI-v1/RegisteredAuthority',
      needs: 'tenancyConfig',
      input: z.object({ friendlyName: Line(100), certificate: CertificateText }),
      output: z.object({ id: Id }),
      done: 'Authority registered',
      failed: 'The authority was not registered',
      faults: {
        own: { status: 409, says: 'This is {name}, which is known already', field: 'certificate' },
        nameTaken: {
          status: 409,
          says: 'Another registered authority has this name',
          field: 'friendlyName',
          constraint: 'registered_authorities_by_name',
        },
        known: {
          status: 409,
          says: 'This certificate is registered already',
          field: 'certificate',
          constraint: 'registered_authorities_by_fingerprint',
        },
      },
    },
    forget: {
      does: 'Takes an external authority off the register.',
      title: 'Remove an outside authority',
      method: 'DELETE',
      path: '/api2/PKI-v1/RegisteredAuthority',
      needs: 'tenancyConfig',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'Authority removed from the register',
      failed: 'The authority was not removed',
    },
    attestation: {
      does: 'Answers the accepted manufacturers of TPMs, and which templates want an attestation.',
      method: 'GET',
      path: '/api2/PKI-v1/TpmAttestation',
      needs: 'autoEnrollTemplateRules',
      input: z.object({}),
      output: z.object({
        roots: z.array(AttestationRoot),
        templates: z.array(
          z.object({
            licensedTemplateId: Id,
            displayName: z.string(),
            caName: z.string(),
            /** The template's owner demands it: this tenancy cannot lift that. */ byTemplate: z.boolean(),
            required: z.boolean(),
            roots: z.array(Id),
          }),
        ),
      }),
    },
    addRoot: {
      does: 'Accepts the root certificate of a TPM manufacturer; answers its id.',
      title: 'Add an attestation root',
      method: 'POST',
      path: '/api2/PKI-v1/TpmAttestationRoot',
      needs: 'autoEnrollTemplateRules',
      input: z.object({ manufacturer: Line(100), certificate: CertificateText }),
      output: z.object({ id: Id }),
      done: 'Root accepted',
      failed: 'The root was not accepted',
      faults: {
        known: {
          status: 409,
          says: 'This root is accepted already',
          field: 'certificate',
          constraint: 'attestation_roots_by_fingerprint',
        },
      },
    },
    removeRoot: {
      does: 'Accepts the root certificate of a TPM manufacturer no more.',
      title: 'Remove an attestation root',
      method: 'DELETE',
      path: '/api2/PKI-v1/TpmAttestationRoot',
      needs: 'autoEnrollTemplateRules',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'Root removed',
      failed: 'The root was not removed',
      faults: { used: { status: 409, says: 'A template accepts only this root. Change its policy first' } },
    },
    setAttestation: {
      does: 'Sets whether a template wants a TPM attestation, and from which manufacturers.',
      title: 'Change the attestation policy',
      method: 'PUT',
      path: '/api2/PKI-v1/TpmAttestationPolicy',
      needs: 'autoEnrollTemplateRules',
      /** No roots: any that is accepted. */
      input: templateOnly.extend({ required: z.boolean(), roots: z.array(Id).max(100).default([]) }),
      output: z.object({}),
      done: 'Attestation policy saved',
      failed: 'The attestation policy was not saved',
    },
  },
  jobs: {
    ends: { title: 'Send mail about licences that end soon', every: '27 * * * *' },
  },
  events: {
    authorityLicensed: {
      says: 'Changed a tenancy’s licence for an authority',
      body: z.object({ caId: Id, tenantId: Id, before: Term.optional(), after: Term }),
    },
    templateLicensed: {
      says: 'Changed a tenancy’s licence for a template',
      body: z.object({ templateId: Id, tenantId: Id, before: Term.optional(), after: Term }),
    },
    /** In the licensee's own record. */
    licenceReceived: {
      says: 'Licence granted, changed or withdrawn',
      body: z.object({ caId: Id, templateId: Id.optional(), ownerId: Id, before: Term.optional(), after: Term }),
    },
    /** In the records of both sides: they were told that a licence ends. */
    endNoticed: {
      says: 'Sent mail about a licence that ends',
      body: z.object({ caId: Id, templateId: Id.optional(), ownerId: Id, tenantId: Id, until: z.string(), days: z.number().int() }),
    },
    flagsSet: {
      says: 'Changed who a template is offered to',
      body: z.object({ licensedTemplateId: Id, enabled: z.boolean(), anonymousEnabled: z.boolean(), selfServiceEligible: z.boolean() }),
    },
    rulesSet: { says: 'Changed the rules of a template', body: z.object({ licensedTemplateId: Id, changed: z.array(z.string()) }) },
    orderSet: { says: 'Changed the order of templates', body: z.object({ templates: z.array(Id) }) },
    registered: { says: 'Registered an outside authority', body: z.object({ id: Id, subject: z.string(), sha256: z.string() }) },
    forgotten: { says: 'Removed an outside authority', body: z.object({ id: Id, subject: z.string(), sha256: z.string() }) },
    rootAdded: { says: 'Added an attestation root', body: z.object({ id: Id, manufacturer: z.string(), sha256: z.string() }) },
    rootRemoved: { says: 'Removed an attestation root', body: z.object({ id: Id, sha256: z.string() }) },
    /** In the owner's record: what a licensee did with its authority. */
    licensedReserved: {
      says: 'Reserved a serial of a licensed authority',
      body: z.object({ caId: Id, serialNumber: z.string(), tbsSha256: z.string(), tenantId: Id, requestId: Id }),
    },
    licensedIssued: {
      says: 'Issued from a licensed authority',
      body: z.object({ caId: Id, serialNumber: z.string(), tenantId: Id, requestId: Id }),
    },
    licensedRevoked: {
      says: 'Revoked from a licensed authority',
      body: z.object({ caId: Id, serialNumber: z.string(), tenantId: Id, reason: z.string() }),
    },
    licensedReleased: {
      says: 'Released from hold at a licensed authority',
      body: z.object({ caId: Id, serialNumber: z.string(), tenantId: Id }),
    },
    attestationSet: {
      says: 'Changed the attestation policy',
      body: z.object({ licensedTemplateId: Id, required: z.boolean(), roots: z.array(Id) }),
    },
  },
})
