"""Who owns which fields of an object: managedFields, and what server-side apply makes of them.

Here belongs everything that looks at field sets: how they are written (FieldsV1), how objects are
walked by the shape of their kind, compared and merged, and what becomes of each manager's set.
Here does not belong when an object is stored, or who asks: that is the store's business. All
functions are pure; what does not change is shared.
"""
