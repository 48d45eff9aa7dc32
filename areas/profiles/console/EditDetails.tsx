// Below the account on the page that edits a person: photo, and the attributes of each group that the editor may change.

import { SimpleGrid, Stack } from '@mantine/core'
import { attributeGroupList, isSensitive } from '#areas/users/attributes.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { profiles } from '../contract.ts'
import { AttributeField } from './AttributeField.tsx'
import { Photo } from './Photo.tsx'
import { Sensitive } from './Sensitive.tsx'

type Read = OutputOf<typeof profiles.calls.read>
type Values = { values: Record<string, string> }

export function EditDetails({ userId }: { userId: string }) {
  const query = useCall(profiles.calls.read, { id: userId })
  return <Loaded query={query}>{(read) => <Editing userId={userId} read={read} />}</Loaded>
}

function Editing({ userId, read }: { userId: string; read: Read }) {
  const groups = attributeGroupList
    .filter(({ name }) => read.writable.includes(name) && !isSensitive(name))
    .map((group) => ({ ...group, kept: Object.entries(group.fields).filter(([, { source }]) => source === 'kept') }))
    .filter(({ kept }) => kept.length > 0)
  const names = groups.flatMap(({ kept }) => kept.map(([name]) => name))
  const initial = Object.fromEntries(names.map((name) => [name, read.values[name] ?? '']))
  if (read.writable.length === 0) return null
  return (
    <Stack gap="md">
      {read.writable.includes('personal') && <Photo userId={userId} at={read.photoAt} mayChange />}
      <Form
        key={JSON.stringify(initial)}
        call={profiles.calls.change}
        initial={{ values: initial }}
        toInput={({ values }: Values) => ({
          id: userId,
          values: Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name])),
        })}
        submit={t('Save details')}
        onDone={() => {}}
      >
        {(form) => (
          <>
            {groups.map(({ name, title, kept }) => (
              <Section key={name} title={t(title)}>
                <SimpleGrid cols={{ base: 1, xs: 2 }}>
                  {kept.map(([field, attribute]) => (
                    <AttributeField key={field} attribute={attribute} binding={form.field(`values.${field}`)} />
                  ))}
                </SimpleGrid>
              </Section>
            ))}
          </>
        )}
      </Form>
      {attributeGroupList
        .filter(({ name }) => isSensitive(name) && read.writable.includes(name))
        .map(({ name }) => (
          <Sensitive key={name} userId={userId} group={name} kept={read.sealed.includes(name)} mayChange />
        ))}
    </Stack>
  )
}
