// The names that a secret is good for: what the template of its profile asks for.

import { SelectField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { protocolRoom } from '../contract.ts'

export type SecretProfiles = OutputOf<typeof protocolRoom.calls.secretChoices>['profiles']
export type SecretValues = {
  profileId: string
  name: string
  names?: Record<string, string[]> | undefined
  hours?: number | undefined
  uses?: number | undefined
}

export const newSecret = (profiles: SecretProfiles): SecretValues => ({
  profileId: profiles[0]?.profileId ?? '',
  name: '',
  names: {},
  hours: 24,
  uses: 1,
})

export function ProfileAndNames({ form, profiles }: { form: FormKit<SecretValues>; profiles: SecretProfiles }) {
  const profile = profiles.find(({ profileId }) => profileId === form.values.profileId)
  return (
    <>
      <SelectField
        {...form.field('profileId')}
        label={t('Profile')}
        required
        options={profiles.map(({ profileId, name, template }) => ({ value: profileId, label: `${name} (${template})` }))}
      />
      <TextField {...form.field('name')} label={t('For')} hint={t('Whose it is, such as a machine or a team')} required />
      {(profile?.asks ?? []).map(({ source, label, many }) => {
        const field = form.field(`names.${source}`)
        const value = field.value ?? []
        return many ? (
          <TagsField key={source} {...field} value={value} label={t(label)} />
        ) : (
          <TextField
            key={source}
            {...field}
            value={value[0] ?? ''}
            onChange={(text) => field.onChange(text === undefined || text === '' ? [] : [text])}
            label={t(label)}
          />
        )
      })}
    </>
  )
}
