// A tab of a person's page: who answers for the person.

import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { sponsors } from '../contract.ts'
import { useSponsorSearch } from '../sponsor-search.tsx'

export function PersonSponsor({ userId }: { userId: string }) {
  const query = useCall(sponsors.calls.ofPerson, { userId })
  return (
    <Section title={t('Sponsor')} intro={t('Who answers for this person.')}>
      <Loaded query={query}>{({ sponsor }) => <Choice key={sponsor?.id ?? ''} userId={userId} held={sponsor} />}</Loaded>
    </Section>
  )
}

type Values = { sponsorId: string | undefined }

function Choice({ userId, held }: { userId: string; held: { id: string; name: string } | undefined }) {
  const { options, onSearch } = useSponsorSearch()
  const known = held === undefined || options.some(({ value }) => value === held.id) ? [] : [{ value: held.id, label: held.name }]
  const initial: Values = { sponsorId: held?.id }
  return (
    <Form
      call={sponsors.calls.setOfPerson}
      initial={initial}
      toInput={({ sponsorId }: Values) => ({ userId, ...(sponsorId === undefined ? {} : { sponsorId }) })}
      submit={t('Save sponsor')}
      onDone={() => {}}
    >
      {(form) => (
        <SelectField
          {...form.field('sponsorId')}
          label={t('Sponsor')}
          hint={t('Those who sponsor now, with how many people they have')}
          options={[...options, ...known]}
          onSearch={onSearch}
          clearable
        />
      )}
    </Form>
  )
}
