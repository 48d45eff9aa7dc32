// A tab of a person's page: what is known beside the account, by group. Groups of which nothing is known are left out.

import { Stack, Text } from '@mantine/core'
import { attributeGroupList, isSensitive } from '#areas/users/attributes.ts'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'
import { AttributeValue } from './AttributeValue.tsx'
import { Photo } from './Photo.tsx'
import { Sensitive } from './Sensitive.tsx'

export function Details({ userId }: { userId: string }) {
  const query = useCall(profiles.calls.read, { id: userId })
  return (
    <Loaded query={query}>
      {({ values, sealed, hiddenGroups, photoAt }) => (
        <Stack gap="md">
          <Photo userId={userId} at={photoAt} />
          {attributeGroupList.map(({ name, title, fields }) => {
            if (isSensitive(name)) return sealed.includes(name) && <Sensitive key={name} userId={userId} group={name} kept />
            const known = Object.entries(fields).filter(([field]) => values[field] !== undefined)
            if (known.length === 0) return undefined
            return (
              <Section key={name} title={t(title)}>
                <Facts
                  items={known.map(([field, attribute]) => ({
                    label: t(attribute.label),
                    value: <AttributeValue attribute={attribute} value={values[field] ?? ''} />,
                  }))}
                />
              </Section>
            )
          })}
          {hiddenGroups > 0 && (
            <Text size="sm" c="dimmed">
              {t('{count, plural, one {# group is} other {# groups are}} not shown to you', { count: hiddenGroups })}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  )
}
