import * as z from 'zod'
import { RoleChoice } from '#areas/roles/role-choice.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { outcomeStates } from './rules.ts'

const Entity = z.enum(['user', 'device'])

export const RuleDraft = z.object({
  name: Line(100),
  enabled: z.boolean().default(true),
  entity: Entity,
  templateId: Id,
  /** Of users: whoever has one of these roles; everybody where there is none. */
  roleIds: z.array(Id).max(50).default([]),
  /** Of devices: their DNS names. */
  deviceNames: z.array(Line(253)).max(500).default([]),
  /** A certificate is followed by another so many days before its end. */
  renewDays: z.number('Enter a whole number').int('Enter a whole number').min(0, 'At least 0').max(365, 'At most 365').default(30),
})

const Counts = z.object({ held: z.number().int(), requested: z.number().int(), refused: z.number().int() })

const RuleRow = z.object({
  id: Id,
  name: z.string(),
  enabled: z.boolean(),
  entity: Entity,
  templateName: z.string(),
  madeBy: z.string(),
  lastRunAt: Instant.optional(),
  counts: Counts,
})

const ById = z.object({ id: Id })

const named = {
  nameTaken: { status: 409, says: 'Another rule has this name', field: 'name', constraint: 'enrolment_rules_by_name' },
} as const

export const enrolment = contract({
  area: 'enrolment',
  title: 'Enrolment',
  screens: {
    rules: {
      path: '/pki/templates/autoenroll',
      needs: 'autoEnrollTemplateRules',
      title: 'Auto-enrolment',
      also: 'Windows, Active Directory',
      jumps: [{ title: 'New enrolment rule', query: '?rule=new' }],
      menu: { group: 'pki', entry: 'enrolment', tab: 'Windows', place: 50 },
    },
  },
  calls: {
    search: {
      does: 'Lists the rules of auto-enrolment with how their last run went.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchEnrolmentRules',
      needs: 'autoEnrollTemplateRules',
      reads: true,
      input: PageQuery,
      output: pageOf(RuleRow),
    },
    choices: {
      does: 'Answers the templates and roles that a rule can name.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentChoices',
      needs: 'autoEnrollTemplateRules',
      input: z.object({}),
      output: z.object({
        templates: z.array(z.object({ templateId: Id, name: z.string(), entity: Entity })),
        roles: z.array(RoleChoice),
      }),
    },
    get: {
      does: 'Answers one rule, with the version to send back when it is edited.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentRule',
      needs: 'autoEnrollTemplateRules',
      input: ById,
      output: RuleDraft.extend({ id: Id, version: z.number().int() }),
    },
    add: {
      does: 'Makes a rule by which certificates are asked for by themselves; answers its id.',
      title: 'Add an enrolment rule',
      method: 'POST',
      path: '/api2/PKI-v1/EnrolmentRule',
      needs: 'autoEnrollTemplateRules',
      // A rule goes on asking with all that its maker may do, so a token that cannot ask for certificates sets none up.
      tokens: ['certSigningRequest'],
      input: RuleDraft,
      output: ById,
      done: 'Rule added',
      failed: 'The rule was not added',
      faults: named,
    },
    edit: {
      does: 'Replaces a rule, where nobody has changed it since the version that is sent; answers the new version.',
      title: 'Change an enrolment rule',
      method: 'PUT',
      path: '/api2/PKI-v1/EnrolmentRule',
      needs: 'autoEnrollTemplateRules',
      // A rule goes on asking with all that its maker may do, so a token that cannot ask for certificates sets none up.
      tokens: ['certSigningRequest'],
      input: RuleDraft.extend({ id: Id, version: z.number().int() }),
      output: z.object({ version: z.number().int() }),
      done: 'Rule saved',
      failed: 'The rule was not saved',
      faults: named,
    },
    remove: {
      does: 'Deletes a rule; certificates that it asked for stay.',
      title: 'Delete an enrolment rule',
      method: 'DELETE',
      path: '/api2/PKI-v1/EnrolmentRule',
      needs: 'autoEnrollTemplateRules',
      input: ById,
      output: z.object({}),
      done: 'Rule deleted',
      failed: 'The rule was not deleted',
    },
    run: {
      does: 'Runs a rule now; answers how many hold a certificate already, were asked for, and were refused.',
      title: 'Run an enrolment rule',
      method: 'POST',
      path: '/api2/PKI-v1/RunEnrolmentRule',
      needs: 'autoEnrollTemplateRules',
      ownTransactions: true,
      input: ById,
      output: Counts,
      done: 'The rule has run',
      failed: 'The rule did not run',
      faults: { off: { status: 409, says: 'This rule is switched off' } },
    },
    outcomes: {
      does: 'Lists what a rule has come to for each user or device, with the reason where none was asked for.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchEnrolmentOutcomes',
      needs: 'autoEnrollTemplateRules',
      reads: true,
      input: PageQuery.extend({ id: Id, state: z.enum(outcomeStates).optional() }),
      output: pageOf(
        z.object({
          subject: z.string(),
          name: z.string(),
          state: z.enum(outcomeStates),
          reason: z.string(),
          requestId: Id.optional(),
          at: Instant,
        }),
      ),
    },
  },
  jobs: {
    run: { title: 'Ask for what the rules of auto-enrolment find due', every: '*/10 * * * *' },
  },
  events: {
    added: { says: 'Added an enrolment rule', body: z.object({ ruleId: Id, name: z.string(), templateId: Id }) },
    edited: { says: 'Changed an enrolment rule', body: z.object({ ruleId: Id, name: z.string() }) },
    removed: { says: 'Deleted an enrolment rule', body: z.object({ ruleId: Id, name: z.string() }) },
    ran: { says: 'Ran an enrolment rule', body: z.object({ ruleId: Id, requested: z.number().int(), refused: z.number().int() }) },
  },
})
