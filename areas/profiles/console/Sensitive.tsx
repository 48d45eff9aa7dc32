// A sensitive group: shown for a purpose that is written down, and changed once it is shown.

import { SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { attributeGroups, type Attribute, type AttributeGroup } from '#areas/users/attributes.ts'
import { useViewer } from '#core/console/bootstrap.ts'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'
import { AttributeField } from './AttributeField.tsx'
import { AttributeValue } from './AttributeValue.tsx'

export function Sensitive({
  userId,
  group,
  kept,
  mayChange = false,
}: {
  userId: string
  group: AttributeGroup
  kept: boolean
  mayChange?: boolean
}) {
  const own = useViewer().id === userId
  const [shown, setShown] = useState<Record<string, string>>()
  const { title, fields } = attributeGroups[group]
  const list: [string, Attribute][] = Object.entries(fields)
  if (!kept && !mayChange) return null
  return (
    <Section title={t(title)}>
      {kept && shown === undefined ? (
        <Form
          call={profiles.calls.reveal}
          initial={{ userId, group, purpose: own ? t('My own details') : '' }}
          submit={t('Show')}
          onDone={({ values }) => setShown(values)}
          guard={false}
          quiet
        >
          {(form) =>
            !own && (
              <TextField
                {...form.field('purpose')}
                label={t('What you need it for')}
                hint={t('The person can read who was shown this, when, and what for')}
                required
              />
            )
          }
        </Form>
      ) : mayChange ? (
        <Change userId={userId} list={list} before={shown ?? {}} />
      ) : (
        <Facts
          items={list.map(([name, attribute]) => {
            const value = shown?.[name]
            return {
              label: t(attribute.label),
              value: value === undefined ? undefined : <AttributeValue attribute={attribute} value={value} />,
            }
          })}
        />
      )}
    </Section>
  )
}

type Values = { values: Record<string, string> }

function Change({ userId, list, before }: { userId: string; list: readonly [string, Attribute][]; before: Record<string, string> }) {
  const initial = Object.fromEntries(list.map(([name]) => [name, before[name] ?? '']))
  return (
    <Form
      call={profiles.calls.change}
      initial={{ values: initial }}
      toInput={({ values }: Values) => ({
        id: userId,
        values: Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name])),
      })}
      submit={t('Save')}
      onDone={() => {}}
    >
      {(form) => (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {list.map(([name, attribute]) => (
            <AttributeField key={name} attribute={attribute} binding={form.field(`values.${name}`)} />
          ))}
        </SimpleGrid>
      )}
    </Form>
  )
}
