"""Who owns which fields of an object: managedFields, and what server-side apply makes of them.

Here belongs everything that looks at field sets: how they are written (FieldsV1), how objects are
walked by the shape of their kind, compared and merged, and how each manager's set changes.
When an object is stored, and by whom, does not belong here: that is the store's. All
functions are pure; what does not change is shared.
"""
