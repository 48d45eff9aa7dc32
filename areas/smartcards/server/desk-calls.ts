// Lists and pages of cards, and the templates of cards.

import { randomUUID } from 'node:crypto'
import { keyKinds } from '#areas/templates/rules.ts'
import { certificateClasses } from '#areas/templates/rules.ts'
import { findTemplate, listTemplates, nameOf, type Template } from '#areas/templates/service.ts'
import { searchPeople } from '#areas/users/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { smartcards } from '../contract.ts'
import { cardType, slotAlgorithms } from '../rules.ts'
import type { CardTemplateDraft } from '../shapes.ts'
import { presentAwaited, presentCards, presentOperations, presentSlots } from './presenter.ts'
import {
  findBySerial,
  findCardRow,
  findTemplateRow,
  insertTemplate,
  listCardTemplates,
  lockTemplate,
  pageOfCards,
  pageOfTemplates,
  updateTemplate,
} from './store.ts'

const mostNamed = 500

/** Gives people certificates, without an administrator's right. */
const isForPeople = (template: Template): boolean =>
  template.enabled && template.accessLevel === 'OPERATOR' && certificateClasses[template.class].entities.some((entity) => entity === 'user')

const keysOf = ({ rules }: Template): string[] =>
  slotAlgorithms.filter((name) => rules.keys.some((kind) => kind === name && kind in keyKinds))

async function isFit({ db, tenantId, now }: Tenancy, { slots }: CardTemplateDraft): Promise<boolean> {
  for (const { templateId, algorithm } of slots) {
    const template = await findTemplate(db, tenantId, templateId, now)
    if (template === undefined || !isForPeople(template) || !keysOf(template).includes(algorithm)) return false
  }
  return true
}

const textOf = ({ name, slots, validityMonths, enabled, attested }: CardTemplateDraft) => ({
  name,
  slots,
  validity_months: validityMonths,
  enabled,
  attested,
})

type DeskCalls =
  | 'search'
  | 'view'
  | 'details'
  | 'templateNames'
  | 'templateList'
  | 'template'
  | 'choices'
  | 'addTemplate'
  | 'changeTemplate'

export const deskCalls: Pick<Handlers<typeof smartcards>, DeskCalls> = {
  async search(question, { db, tenancy, viewer }) {
    const holders =
      question.text.trim() === '' ? [] : (await searchPeople(db, viewer.tenantId, question.text, mostNamed)).map(({ id }) => id)
    const { rows, total } = await pageOfCards(tenancy, { ...question, holders })
    return { rows: await presentCards(tenancy, rows), total }
  },

  async view({ id }, { tenancy, fault }) {
    const row = (await findCardRow(tenancy, id)) ?? fault('missing')
    const [shown = fault('missing')] = await presentCards(tenancy, [row])
    return {
      ...shown,
      atr: row.atr,
      guid: row.guid,
      managementAlgorithm: row.management_algorithm,
      ownKey: row.key_version > 0,
      ownPuk: row.puk_sealed !== null,
      ...(row.card_template_id === null ? {} : { cardTemplateId: row.card_template_id }),
      ...(row.next_template_id === null ? {} : { nextTemplateId: row.next_template_id }),
      ...(row.suspended_at === null
        ? {}
        : { suspended: { at: row.suspended_at.toISOString(), by: row.suspended_by, reason: row.suspend_reason } }),
      slots: await presentSlots(tenancy, id),
      awaited: await presentAwaited(tenancy, id),
      operations: await presentOperations(tenancy, id),
    }
  },

  async details({ serial }, { tenancy, fault }) {
    const row = (await findBySerial(tenancy, serial)) ?? fault('missing')
    const [shown = fault('missing')] = await presentCards(tenancy, [row])
    const { userName, cardTemplateName, status } = shown
    return {
      cardId: row.id,
      serialNumber: row.serial,
      atr: row.atr,
      cardType,
      status,
      ...(row.holder_id === null ? {} : { userId: row.holder_id }),
      userName,
      ...(row.card_template_id === null ? {} : { cardTemplateId: row.card_template_id }),
      cardTemplateName,
    }
  },

  async templateNames(_input, { tenancy }) {
    const rows = (await listCardTemplates(tenancy)).filter(({ enabled }) => enabled)
    return { cardTemplates: rows.map(({ id, name, slots }) => ({ cardTemplateId: id, name, slots: slots.map(({ slot }) => slot) })) }
  },

  async templateList(question, { tenancy }) {
    const { rows, total } = await pageOfTemplates(tenancy, question)
    return {
      rows: rows.map(({ id, name, slots, validity_months: validityMonths, enabled, cards }) => ({
        id,
        name,
        slots: slots.map(({ slot }) => slot),
        validityMonths,
        enabled,
        cards: cards ?? 0,
      })),
      total,
    }
  },

  async template({ id }, { tenancy, fault }) {
    const {
      name,
      slots,
      validity_months: validityMonths,
      enabled,
      attested,
      version,
    } = (await findTemplateRow(tenancy, id)) ?? fault('missing')
    return { id, name, slots, validityMonths, enabled, attested, version }
  },

  async choices(_input, { db, viewer, now }) {
    const found = (await listTemplates(db, viewer.tenantId, now)).filter(isForPeople)
    return {
      templates: found
        .map((template) => ({
          templateId: template.id,
          name: nameOf(template),
          approvals: template.issueApprovers,
          keys: keysOf(template),
        }))
        .filter(({ keys }) => keys.length > 0)
        // What needs nobody else comes first, because the editor begins with the first one.
        .toSorted((a, b) => a.approvals - b.approvals),
    }
  },

  async addTemplate(draft, { tenancy, emit, fault }) {
    if (!(await isFit(tenancy, draft))) fault('unfit')
    const id = randomUUID()
    await insertTemplate(tenancy, id, textOf(draft))
    emit('templateAdded', { templateId: id, name: draft.name }, id)
    return { id }
  },

  async changeTemplate({ id, version, ...draft }, { tenancy, emit, fault }) {
    const row = (await lockTemplate(tenancy, id)) ?? fault('missing')
    if (row.version !== version) fault('conflict')
    if (!(await isFit(tenancy, draft))) fault('unfit')
    await updateTemplate(tenancy, id, textOf(draft))
    emit('templateChanged', { templateId: id, name: draft.name }, id)
    return {}
  },
}
