// A role's name and what it grants. The same form adds and edits.

import { Text } from '@mantine/core'
import { TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { roles } from '../contract.ts'
import type { Grants } from '../rules.ts'
import { PermissionTable } from './PermissionTable.tsx'

export type RoleValues = { name: string; description: string } & Grants

export function RoleFields({ form }: { form: FormKit<RoleValues> }) {
  const offered = useCall(roles.calls.grantable, {})
  const refused = form.error('view') ?? form.error('menu') ?? form.error('api')
  const { view, menu, api } = form.values
  return (
    <>
      <Section title={t('Role')}>
        <TextField {...form.field('name')} label={t('Name')} autoFocus required />
        <TextAreaField {...form.field('description')} label={t('Description')} hint={t('Who it is for, in a sentence')} rows={2} />
      </Section>
      <Section
        title={t('Permissions')}
        intro={t(
          'View opens the screens, Menu puts them into the navigation, API lets the calls behind them answer. Most people need all three: the tick before a permission gives them at once.',
        )}
      >
        {refused !== undefined && (
          <Text c="var(--mantine-color-error)" size="sm" data-field="view" tabIndex={-1}>
            {refused}
          </Text>
        )}
        <Loaded query={offered}>
          {({ blacklist, permissions }) => (
            <PermissionTable
              grants={{ view, menu, api }}
              blacklist={blacklist}
              unused={permissions.flatMap(({ name, inUse }) => (inUse ? [] : [name]))}
              onChange={(grants) => form.setAll(grants)}
            />
          )}
        </Loaded>
      </Section>
    </>
  )
}
