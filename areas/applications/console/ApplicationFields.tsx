// The fields of an application. The same ones add and edit.

import { useRoleOptions } from '#areas/roles/role-options.tsx'
import { sessions } from '#areas/sessions/contract.ts'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { DateField, MultiSelectField, RadioField, SelectField, TagsField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { scopeLabel } from './labels.ts'

export type ApplicationValues = {
  name: string
  note: string
  owner: { kind: 'person' | 'role'; id?: string | undefined }
  enabled: boolean
  scopes: string[]
  networks: string[]
  endsAt: string | undefined
}

export const draftOf = ({ name, note, owner, scopes, networks, endsAt }: ApplicationValues) => ({
  name,
  note,
  owner: { kind: owner.kind, id: owner.id ?? '' },
  scopes,
  networks,
  endsAt,
})

const withOwn = (options: readonly { value: string; label: string }[], own: { value: string; label: string } | undefined) =>
  own === undefined || options.some(({ value }) => value === own.value) ? [...options] : [own, ...options]

export function ApplicationFields({
  form,
  owner,
  granted = [],
}: {
  form: FormKit<ApplicationValues>
  /** Who it is now: the search may not find it among its first. */
  owner?: { kind: 'person' | 'role'; id: string; name: string }
  granted?: readonly string[]
}) {
  const people = usePersonSearch()
  const found = useRoleOptions(owner?.kind === 'role' ? [owner] : [])
  const offered = useCall(sessions.calls.tokenScopes, {})
  const scopes = [...new Set([...(offered.data?.scopes ?? []).map(({ name }) => name), ...granted])]
  const own = (kind: 'person' | 'role') => (owner?.kind === kind ? { value: owner.id, label: owner.name } : undefined)
  const wrongNetwork =
    form.error('networks') ?? form.values.networks.map((_, at) => form.error(`networks.${at}`)).find((wrong) => wrong !== undefined)
  return (
    <>
      <Section title={t('Application')}>
        <TextField {...form.field('name')} label={t('Name')} hint={t('What it is for: “Nightly export”')} required />
        <TextAreaField {...form.field('note')} label={t('Note')} rows={2} />
        <RadioField
          {...form.field('owner.kind')}
          onChange={(kind) => form.set('owner', { kind: kind ?? 'person', id: undefined })}
          label={t('Owner')}
          options={[
            { value: 'person', label: t('A person') },
            { value: 'role', label: t('A role: everybody who has it') },
          ]}
        />
        <SelectField
          {...form.field('owner.id')}
          error={form.error('owner.id') ?? form.error('owner')}
          label={form.values.owner.kind === 'person' ? t('Person') : t('Role')}
          hint={t('Answers for it, and is told before it ends.')}
          {...(form.values.owner.kind === 'person'
            ? { options: withOwn(people.options, own('person')), onSearch: people.onSearch }
            : (found ?? { options: withOwn([], own('role')) }))}
          required
        />
      </Section>
      <Section title={t('What it may do')}>
        <MultiSelectField
          {...form.field('scopes')}
          label={t('Scopes')}
          options={scopes.toSorted().map((value) => ({ value, label: scopeLabel(value) }))}
          hint={t('Those that you hold. The API reference names beside each call the scope that it needs.')}
          required
        />
        <TagsField
          {...form.field('networks')}
          error={wrongNetwork}
          label={t('Networks')}
          hint={t('Such as 192.0.2.0/24. Without any, it works from everywhere.')}
        />
        <DateField {...form.field('endsAt')} label={t('Ends')} hint={t('Left empty, it goes on until somebody ends it.')} />
      </Section>
    </>
  )
}
