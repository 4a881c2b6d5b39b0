"""How are requests asked together, at a provider that answers within a day and for less?"""
