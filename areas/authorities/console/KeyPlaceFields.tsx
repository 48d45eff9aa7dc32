// Where the key of a new authority lives, and of what kind it is: a token offers only what it can make, and a key that is there already has its kind.

import { keyTypeOptions } from '#areas/keys/key-type-options.tsx'
import { keyAlgorithmNames, keyAlgorithms, type KeyAlgorithm } from '#areas/keys/rules.ts'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { SelectField } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'

export type KeyPlaceProps = {
  tokenField: FieldBinding<string>
  keyField: FieldBinding<string>
  algorithmField: FieldBinding<KeyAlgorithm>
  onChange(place: { tokenId?: string; tokenKeyId?: string; keyAlgorithm?: KeyAlgorithm }): void
}

const none = ''

export function KeyPlaceFields({ tokenField, keyField, algorithmField, onChange }: KeyPlaceProps) {
  const places = useCall(authorities.calls.keyPlaces, {})
  const tokens = places.data?.tokens ?? []
  const tokenId = tokenField.value ?? none
  const keyId = keyField.value ?? none
  const token = tokens.find((each) => each.tokenId === tokenId)
  const free = useCall(authorities.calls.freeKeys, { tokenId }, { enabled: token !== undefined })
  const foundKeys = token === undefined ? [] : (free.data?.keys ?? [])
  const algorithms = token === undefined ? keyAlgorithmNames : token.algorithms
  const algorithm = algorithmField.value ?? 'P-256'
  const pickToken = (picked: string | undefined) => {
    const offered = tokens.find((each) => each.tokenId === picked)?.algorithms
    const [first] = offered ?? []
    onChange({
      tokenId: picked ?? none,
      tokenKeyId: none,
      ...(offered === undefined || offered.includes(algorithm) || first === undefined ? {} : { keyAlgorithm: first }),
    })
  }
  const pickKey = (picked: string | undefined) => {
    const found = foundKeys.find(({ objectId }) => objectId === picked)
    onChange({ tokenKeyId: picked ?? none, ...(found === undefined ? {} : { keyAlgorithm: found.algorithm }) })
  }
  return (
    <>
      {tokens.length > 0 && (
        <SelectField
          {...tokenField}
          onChange={pickToken}
          label={t('Where the key lives')}
          hint={
            token === undefined
              ? t('Sealed in the database: it signs as long as the server runs.')
              : t('It never leaves the token, and signs while the token is there.')
          }
          options={[
            { value: none, label: t('In the database, sealed') },
            ...tokens.map(({ tokenId: value, name, available }) => ({
              value,
              label: available ? t('On the token {name}', { name }) : t('On the token {name} (unavailable)', { name }),
            })),
          ]}
        />
      )}
      {token !== undefined && foundKeys.length > 0 && (
        <SelectField
          {...keyField}
          onChange={pickKey}
          label={t('Key on the token')}
          options={[
            { value: none, label: t('A new key') },
            ...foundKeys.map(({ objectId, label, algorithm: kind }) => ({
              value: objectId,
              label: `${label === '' ? objectId : label} · ${keyAlgorithms[kind].label}`,
            })),
          ]}
        />
      )}
      {keyId === none && (
        <SelectField
          {...algorithmField}
          label={t('Key type')}
          hint={t(keyAlgorithms[algorithm].hint)}
          options={keyTypeOptions(algorithms)}
          required
        />
      )}
    </>
  )
}
